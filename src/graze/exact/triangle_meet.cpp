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
  // case the segment and the triangle need not lie in one plane.
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

IntegerPoint normal_of(const IntegerTriangle& t) {
  return cross(minus(t[1], t[0]), minus(t[2], t[0]));
}

// Returns whether two triangles with area in one plane have a common area. The insides of convex
// polygons are disjoint iff the line of a side of one of them has the other on its outer side.
bool share_area(const IntegerTriangle& a, const IntegerTriangle& b) {
  const auto side_separates = [](const IntegerTriangle& t, const IntegerTriangle& other) {
    const IntegerPoint n = normal_of(t);
    for (std::size_t i = 0; i < 3; ++i) {
      const IntegerPoint along = minus(t[(i + 1) % 3], t[i]);
      if (std::all_of(other.begin(), other.end(), [&](const IntegerPoint& p) {
            return sign(dot(cross(along, minus(p, t[i])), n)) <= 0;
          }))
        return true;
    }
    return false;
  };
  return !side_separates(a, b) && !side_separates(b, a);
}

// The number numerator / denominator, denominator > 0.
struct Ratio {
  Integer numerator, denominator;
};
bool less(const Ratio& a, const Ratio& b) {
  return a.numerator * b.denominator < b.numerator * a.denominator;
}

// Returns the open interval in which the inside of a triangle meets a plane, by its two ends. They
// are measured by their products with `along`, the direction of the line in which the plane meets
// the triangle's plane. `height`: the heights of the corners above the plane, some above 0 and some
// below. The corner p whose sign differs from those of the others is an end of two sides that reach
// the plane. Such a side to q meets it at (p h_q - q h_p) / (h_q - h_p).
std::array<Ratio, 2> cut(const IntegerTriangle& t, const std::array<Integer, 3>& height,
                         const IntegerPoint& along) {
  std::size_t p = 0;
  while (sign(height[p]) == 0 || sign(height[p]) == sign(height[(p + 1) % 3]) ||
         sign(height[p]) == sign(height[(p + 2) % 3]))
    ++p;
  std::array<Ratio, 2> ends;
  for (std::size_t k = 0; k < 2; ++k) {
    const std::size_t q = (p + 1 + k) % 3;
    Integer n = dot(along, t[p]) * height[q] - dot(along, t[q]) * height[p],
            d = height[q] - height[p];
    ends[k] = sign(d) > 0 ? Ratio{n, d} : Ratio{-n, -d};
  }
  if (less(ends[1], ends[0])) std::swap(ends[0], ends[1]);
  return ends;
}

// Returns how two triangles with a common point meet.
Meeting kind_of_meeting(const IntegerTriangle& a, const IntegerTriangle& b) {
  const IntegerPoint normal_a = normal_of(a), normal_b = normal_of(b);
  if (is_zero(normal_a) || is_zero(normal_b)) return Meeting::touching;
  const auto heights = [](const IntegerTriangle& t, const IntegerPoint& n, const IntegerPoint& o) {
    return std::array{dot(n, minus(t[0], o)), dot(n, minus(t[1], o)), dot(n, minus(t[2], o))};
  };
  const auto is_cut = [](const std::array<Integer, 3>& height) {
    const auto [lo, hi] = std::minmax_element(height.begin(), height.end());
    return sign(*lo) < 0 && sign(*hi) > 0;
  };
  const auto height_a = heights(a, normal_b, b[0]), height_b = heights(b, normal_a, a[0]);
  const IntegerPoint along = cross(normal_a, normal_b);
  if (is_zero(along)) return share_area(a, b) ? Meeting::overlapping : Meeting::touching;
  if (!is_cut(height_a) || !is_cut(height_b)) return Meeting::touching;
  const auto on_a = cut(a, height_a, along), on_b = cut(b, height_b, along);
  return less(on_a[0], on_b[1]) && less(on_b[0], on_a[1]) ? Meeting::crossing : Meeting::touching;
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

bool has_area(const IntegerTriangle& t) {
  return !is_zero(normal_of(t));
}

Meeting meeting(const IntegerTriangle& a, const IntegerTriangle& b) {
  return triangles_meet(a, b) ? kind_of_meeting(a, b) : Meeting::none;
}

// If a point x besides the corner v is common, so are all points from v to x, as triangles are
// convex. The ray from v through x leaves each triangle through the side opposite to v. The point
// at which it leaves the first of them is common and lies on such a side. v lies on neither side.
Meeting meeting_beyond_corner(const IntegerTriangle& a, const IntegerTriangle& b) {
  return segment_meets_triangle(a[1], a[2], b) || segment_meets_triangle(b[1], b[2], a)
             ? kind_of_meeting(a, b)
             : Meeting::none;
}

// Triangles in two planes have only points of one line in common, here those of the side. Triangles
// in one plane lie on different sides of that line, or overlap near it.
Meeting meeting_beyond_side(const IntegerTriangle& a, const IntegerTriangle& b) {
  const IntegerPoint normal_a = normal_of(a), normal_b = normal_of(b);
  return is_zero(cross(normal_a, normal_b)) && sign(dot(normal_a, normal_b)) > 0
             ? Meeting::overlapping
             : Meeting::none;
}

bool segment_pierces(const IntegerPoint& p, const IntegerPoint& q, const IntegerTriangle& t) {
  if (side(t[0], t[1], t[2], p) * side(t[0], t[1], t[2], q) >= 0) return false;
  const int x = side(p, q, t[0], t[1]);
  return x != 0 && x == side(p, q, t[1], t[2]) && x == side(p, q, t[2], t[0]);
}

}  // namespace graze::exact
