#pragma once

#include <array>

#include "graze/vec3.h"

namespace graze::rigid {

using Triangle = std::array<Vec3, 3>;
using Segment = std::array<Vec3, 2>;

// The closest points of two triangles, up to rounding.
struct TriangleDistance {
  Vec3 a, b;
  double distance = 0;  // |a - b|; about 0 if the triangles intersect
};

// Returns the closest points of two triangles, computed in double arithmetic. Whatever the
// rounding, `a` and `b` are convex combinations of the corners up to 8u of the largest coordinate
// c, so `distance` is at least the true distance minus 32u c. Triangles without area count as
// segments or points.
TriangleDistance triangle_distance(const Triangle& a, const Triangle& b);

// Returns the same for a segment, which may be a point, and a triangle.
TriangleDistance segment_distance(const Segment& a, const Triangle& b);

}  // namespace graze::rigid
