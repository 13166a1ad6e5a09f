#pragma once

#include <span>
#include <vector>

#include "graze/mesh.h"

namespace graze::rigid {

// Returns the triangles of the convex hull of the points, oriented outwards. Empty if all points
// lie in one plane or Qhull fails. Computed in double arithmetic: rounding may leave a point
// outside. Reference: [Barber 1996].
std::vector<Face> convex_hull(std::span<const Vec3> points);

}  // namespace graze::rigid
