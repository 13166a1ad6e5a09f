#include "graze/exact/triangle_meet.h"

#include <algorithm>

namespace graze::exact {
namespace {

IntegerPoint minus(const IntegerPoint& a, const IntegerPoint& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
IntegerPoint cross(const IntegerPoint& a, const IntegerPoint& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Integer dot(const IntegerPoint& a, const IntegerPoint& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
bool is_zero(const IntegerPoint& a) {
  return a[0].is_zero() && a[1].is_zero() && a[2].is_zero();
}

// Returns the side of the plane a, b, c on which d lies: -1, 0 or 1.
int side(const IntegerPoint& a, const IntegerPoint& b, const IntegerPoint& c,
         const IntegerPoint& d) {
  return sign(dot(cross(minus(b, a), minus(c, a)), minus(d, a)));
}

bool point_on_segment(const IntegerPoint& p, const IntegerPoint& a, const IntegerPoint& b) {
  return is_zero(cross(minus(b, a), minus(p, a))) && sign(dot(minus(a, p), minus(b, p))) <= 0;
}

// Returns whether two segments in one plane share a point. Segments that are not parallel do iff
// the ends of each lie on both sides of the line of the other, in a projection along the normal n
// of the plane.
bool coplanar_segments_meet(const IntegerPoint& p, const IntegerPoint& q, const IntegerPoint& a,
                            const IntegerPoint& b) {
  if (point_on_segment(p, a, b) || point_on_segment(q, a, b) || point_on_segment(a, p, q) ||
      point_on_segment(b, p, q))
    return true;
  const IntegerPoint n = cross(minus(q, p), minus(b, a));
  if (is_zero(n)) return false;
  const auto turn = [&](const IntegerPoint& x, const IntegerPoint& y, const IntegerPoint& z) {
    return sign(dot(cross(minus(y, x), minus(z, x)), n));
  };
  return turn(p, q, a) * turn(p, q, b) < 0 && turn(a, b, p) * turn(a, b, q) < 0;
}

bool segment_meets_triangle(const IntegerPoint& p, const IntegerPoint& q,
                            const IntegerTriangle& t) {
  const int at_p = side(t[0], t[1], t[2], p), at_q = side(t[0], t[1], t[2], q);
  if (at_p * at_q > 0) return false;
  if (at_p != 0 || at_q != 0) {
    const int x = side(p, q, t[0], t[1]), y = side(p, q, t[1], t[2]), z = side(p, q, t[2], t[0]);
    return (x >= 0 && y >= 0 && z >= 0) || (x <= 0 && y <= 0 && z <= 0);
  }
  // The segment lies in the plane of the triangle, or the triangle spans no plane. In the second
  // case p, q and the triangle may not lie in one plane.
  for (std::size_t i = 0; i < 3; ++i) {
    const IntegerPoint &a = t[i], &b = t[(i + 1) % 3];
    if (side(p, q, a, b) == 0 && coplanar_segments_meet(p, q, a, b)) return true;
  }
  const IntegerPoint n = cross(minus(t[1], t[0]), minus(t[2], t[0]));
  if (is_zero(n)) return false;
  const auto inside = [&](const IntegerPoint& a, const IntegerPoint& b) {
    return sign(dot(cross(minus(b, a), minus(p, a)), n)) >= 0;
  };
  return inside(t[0], t[1]) && inside(t[1], t[2]) && inside(t[2], t[0]);
}

}  // namespace

// If two triangles meet, the border of one of them meets the other: their intersection is convex,
// and one of its extreme points lies on a border.
bool triangles_meet(const IntegerTriangle& a, const IntegerTriangle& b) {
  for (std::size_t k = 0; k < 3; ++k) {
    const auto [a_lo, a_hi] = std::minmax({a[0][k], a[1][k], a[2][k]});
    const auto [b_lo, b_hi] = std::minmax({b[0][k], b[1][k], b[2][k]});
    if (a_hi < b_lo || b_hi < a_lo) return false;
  }
  for (std::size_t i = 0; i < 3; ++i)
    if (segment_meets_triangle(a[i], a[(i + 1) % 3], b) ||
        segment_meets_triangle(b[i], b[(i + 1) % 3], a))
      return true;
  return false;
}

bool segment_pierces(const IntegerPoint& p, const IntegerPoint& q, const IntegerTriangle& t) {
  if (side(t[0], t[1], t[2], p) * side(t[0], t[1], t[2], q) >= 0) return false;
  const int x = side(p, q, t[0], t[1]);
  return x != 0 && x == side(p, q, t[1], t[2]) && x == side(p, q, t[2], t[0]);
}

}  // namespace graze::exact
