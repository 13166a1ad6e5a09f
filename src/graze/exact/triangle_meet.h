#pragma once

#include <array>

#include "graze/exact/integer.h"

namespace graze::exact {

using IntegerPoint = std::array<Integer, 3>;
using IntegerTriangle = std::array<IntegerPoint, 3>;

// Returns whether two triangles, borders included, share a point. A triangle without area is a
// segment or a point. Exact for all integers.
bool triangles_meet(const IntegerTriangle& a, const IntegerTriangle& b);

}  // namespace graze::exact
