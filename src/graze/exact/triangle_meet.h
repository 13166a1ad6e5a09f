#pragma once

#include <array>

#include "graze/exact/integer.h"

namespace graze::exact {

using IntegerPoint = std::array<Integer, 3>;
using IntegerTriangle = std::array<IntegerPoint, 3>;

// Returns whether two triangles, borders included, share a point. A triangle without area is a
// segment or a point. Exact for all integers.
bool triangles_meet(const IntegerTriangle& a, const IntegerTriangle& b);

// The kind of intersection of two triangles. The inside of a triangle excludes its border.
enum class Meeting {
  none,        // no common point
  touching,    // common points, but none inside both; or a triangle has no area
  crossing,    // the triangles lie in two planes and have a common point inside both
  overlapping  // the triangles lie in one plane and have a common area
};

// Returns how two triangles meet. Exact for all integers, as are the functions below.
Meeting meeting(const IntegerTriangle& a, const IntegerTriangle& b);

// The same for triangles that have the corner a[0] = b[0], or the side from a[0] = b[0] to a[1] =
// b[1], in common. These points do not count. Without a meaning if a triangle has no area.
Meeting meeting_beyond_corner(const IntegerTriangle& a, const IntegerTriangle& b);
Meeting meeting_beyond_side(const IntegerTriangle& a, const IntegerTriangle& b);

bool has_area(const IntegerTriangle& t);

// Returns whether the ends of the segment lie strictly on opposite sides of the triangle's plane
// and the segment meets that plane strictly inside the triangle. False for a triangle without area.
// Exact for all integers.
bool segment_pierces(const IntegerPoint& p, const IntegerPoint& q, const IntegerTriangle& t);

}  // namespace graze::exact
