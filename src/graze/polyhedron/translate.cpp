#include "graze/polyhedron/translate.h"

namespace graze::polyhedron {
namespace {

// Of numbers that must all be of one sign: 2 where two are clearly opposite.
struct CommonSign {
  int sign = 0;
  bool all_clear = true;

  void include(int next) {
    if (next == 0)
      all_clear = false;
    else if (sign == -next || sign == 2)
      sign = 2;
    else
      sign = next;
  }
};

// Of a value that goes from `start` to `end` on a straight line; the sides must have the sign of
// its slope, which is that of `end` where the ends' signs are opposite.
Filtered decide(const Interval& start, const Interval& end, const CommonSign& sides) {
  const int s0 = clear_sign(start), s1 = clear_sign(end);
  if (s0 == 0 || s1 == 0) return {Filtered::unclear, {}};
  if (sides.sign == -s1) return {Filtered::apart, {}};
  if (!sides.all_clear) return {Filtered::unclear, {}};
  return {Filtered::touching, zero_of(start, end)};
}

bool same_clear_sign(const Interval& x, const Interval& y) {
  return (x.lo > 0 && y.lo > 0) || (x.hi < 0 && y.hi < 0);
}

}  // namespace

// Let x(f) = x + f v and n the normal; the height n.(x(f) - p) has the slope n.v. For the side from
// a to b, S = (a - x) x (b - x) and v.S is the sidedness of both lines; v.S = v.S(f) at every f,
// and at the time when x(f) is in the plane S(f) = h n with h >= 0 iff it is on the inner side. So
// inside iff v.S has the sign of n.v for all sides, or is 0. If n.v = 0, x(f) is never in the plane
// or always, and in that case all v.S = 0. So two of clearly opposite signs always exclude contact.
Filtered translate_vertex_facet(const IntervalPoint& x, const IntervalPoint& way,
                                const IntervalFacet& facet) {
  const Interval start = facet.plane.height(x), end = start + dot(facet.plane.normal, way);
  if (same_clear_sign(start, end)) return {Filtered::apart, {}};
  CommonSign sides;
  const std::size_t n = facet.corners.size();
  IntervalPoint a = facet.corners[n - 1] - x;
  for (std::size_t i = 0; i < n; ++i) {
    const IntervalPoint b = facet.corners[i] - x;
    sides.include(clear_sign(dot(way, cross(a, b))));
    if (sides.sign == 2) return {Filtered::apart, {}};
    a = b;
  }
  return decide(start, end, sides);
}

// With b0 as the origin the line b is (B, 0) and the line a is (A, a0 x a1): their sidedness is
// (a0 x a1).B, of slope v.N, N = A x B. Where that is not 0, v.(sides) below have the signs of v.N
// times s, 1 - s, r, 1 - r of exact_touch.cpp. Where it is 0, the pair is nobody's concern here.
Filtered translate_edge_edge(const IntervalPoint& a0, const IntervalPoint& a1,
                             const IntervalPoint& b0, const IntervalPoint& b1,
                             const IntervalPoint& way) {
  const IntervalPoint p = a0 - b0, q = a1 - b0, b = b1 - b0, moment = cross(p, q);
  const Interval start = dot(moment, b), slope = dot(way, cross(q - p, b)), end = start + slope;
  if (same_clear_sign(start, end)) return {Filtered::apart, {}};
  CommonSign sides;
  sides.include(clear_sign(dot(way, cross(b, p))));
  sides.include(-clear_sign(dot(way, cross(b, q))));
  if (sides.sign == 2) return {Filtered::apart, {}};
  const Interval of_b0 = dot(way, moment);
  sides.include(-clear_sign(of_b0));
  sides.include(clear_sign(of_b0 + slope));
  if (sides.sign == 2) return {Filtered::apart, {}};
  return decide(start, end, sides);
}

}  // namespace graze::polyhedron
