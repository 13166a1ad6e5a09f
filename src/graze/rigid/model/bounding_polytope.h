#pragma once

#include <span>
#include <vector>

#include "graze/vec3.h"

namespace graze::rigid {

struct BoundingPolytope {
  std::vector<Vec3> vertices;
  double margin = 0;  // length: every point lies within this distance of the hull of the vertices
};

struct BoundingBall {
  Vec3 centre;
  double radius = 0;
};

// Returns a polytope and a ball that contain all points, in real arithmetic on the returned
// doubles. At least one point; no coordinate exceeds 2 in size; 8 <= max_vertices <= 16.
BoundingPolytope bounding_polytope(std::span<const Vec3> points, std::size_t max_vertices);
BoundingBall bounding_ball(std::span<const Vec3> points);

}  // namespace graze::rigid
