#pragma once

#include <array>

#include "graze/mesh.h"
#include "graze/sim/elastic/material/local_model.h"

namespace graze::sim::soft {

// The repulsive energy of two features that are close (Li et al. 2020). With d their distance and
// s = (d / reach)^2 it is repulsion * m * b(s),
//   b(s) = -(s - 1)^2 log s for s < 1, and 0 beyond: twice continuously differentiable;
//   m = 1, but for two edges that are nearly parallel, whose closest points jump: with
//       c = |a x b|^2 and e = parallel > 0, m = c/e (2 - c/e) for c < e.
//   (1) It grows without bound as the distance goes to 0, unless edges become parallel.
//   (2) It is 0, with its derivatives, if the distance is at least the reach.
//   (3) linearize() returns the gradient of the energy, which is continuous.
//   (4) The projected Hessian is positive semidefinite up to rounding.
struct Barrier {
  double reach, repulsion;

  // A pair of features. Corners as in MovingMesh: vertex and face, two edges, vertex and edge, or
  // two vertices; unused entries are not read. `parallel`: e above, for two edges.
  struct Feature {
    Kind kind;
    std::array<Vec3, 4> corners;
    double parallel = 0;
  };
  double energy(const Feature& pair) const;
  LocalModel<4> linearize(const Feature& pair, Curvature curvature) const;
};

// Returns e above for two edges with these rest lengths.
double parallel_threshold(double length_a, double length_b);

}  // namespace graze::sim::soft
