#pragma once

#include <span>
#include <vector>

#include "graze/core/vec3.h"

namespace graze {

struct BoundingPolytope {
  std::vector<Vec3> vertices;
  double margin = 0;  // every point lies within this of the hull of the vertices
};

struct BoundingBall {
  Vec3 centre;
  double radius = 0;
};

// Both contain all points, in real arithmetic on the doubles returned. Points: at least one, no
// coordinate beyond 2 in size. `max_vertices` >= 8.
BoundingPolytope bounding_polytope(std::span<const Vec3> points, std::size_t max_vertices);
BoundingBall bounding_ball(std::span<const Vec3> points);

}  // namespace graze
