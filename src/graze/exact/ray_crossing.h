#pragma once

#include <array>

#include "graze/vec3.h"

namespace graze::exact {

// Returns whether the ray from p along z crosses a triangle, where p is moved by (s, s^2, 0) with
// an infinitesimal s > 0. Exact for finite numbers: by doubles with a bound, else by integers.
//
// The moved line meets no edge, so that it crosses a closed surface an even number of times. If p
// is not on the surface, the ray crosses it an odd number of times iff p is inside. No ray is
// degenerate.
bool ray_crosses(const Vec3& p, const std::array<Vec3, 3>& triangle);

}  // namespace graze::exact
