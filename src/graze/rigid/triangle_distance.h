#pragma once

#include <array>
#include <cstdint>

#include "graze/core/vec3.h"

namespace graze {

using Triangle = std::array<Vec3, 3>;

// Two points of two triangles, the closest up to rounding, and on which parts of them they lie.
// Of a part: 0-2 a vertex, 3-5 the edge from vertex part-3 to the next, 6 the inside.
struct TriangleDistance {
  Vec3 a, b;
  double distance = 0;  // |a - b|; 0 where the triangles cross
  std::uint8_t part_a = 6, part_b = 6;
};

// In double arithmetic. Whatever the rounding, `a` and `b` are convex combinations of the corners
// up to 8u of the largest coordinate, so `distance` is above the true one but for 32u of that.
// Triangles without area are segments or points.
TriangleDistance triangle_distance(const Triangle& a, const Triangle& b);

}  // namespace graze
