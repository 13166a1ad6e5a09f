#pragma once

#include <span>
#include <vector>

#include "graze/core/mesh.h"

namespace graze {

// A mesh of masses and springs: the elastic body of the examples and tests. Its springs are the
// edges, which rest at the lengths they had when it was made.
class Elastic {
 public:
  Elastic(const Mesh& mesh, std::span<const Vec3> rest, double stiffness);

  // Of the springs.
  double energy(std::span<const Vec3> positions) const;
  // Adds its gradient, and to `diagonal` (one number per vertex) a bound of its curvature there.
  void add_gradient(std::span<const Vec3> positions, std::span<Vec3> gradient,
                    std::span<double> diagonal) const;

 private:
  struct Spring {
    Edge ends;
    double length;
  };
  std::vector<Spring> springs_;
  double stiffness_;
};

}  // namespace graze
