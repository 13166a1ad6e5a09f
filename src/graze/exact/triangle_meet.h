#pragma once

#include <array>

#include "graze/exact/integer.h"

namespace graze::exact {

using IntegerPoint = std::array<Integer, 3>;
using IntegerTriangle = std::array<IntegerPoint, 3>;

// Returns whether two triangles, borders included, share a point. A triangle without area is a
// segment or a point. Exact for all integers.
bool triangles_meet(const IntegerTriangle& a, const IntegerTriangle& b);

// Returns whether the ends of the segment lie strictly on opposite sides of the triangle's plane
// and the segment meets that plane strictly inside the triangle. False for a triangle without area.
// Exact for all integers.
bool segment_pierces(const IntegerPoint& p, const IntegerPoint& q, const IntegerTriangle& t);

}  // namespace graze::exact
