#include "graze/sim/elastic.h"

namespace graze {

Elastic::Elastic(const Mesh& mesh, std::span<const Vec3> rest, double stiffness)
    : stiffness_(stiffness) {
  for (const Edge& edge : mesh.edges)
    springs_.push_back({edge, (rest[edge[1]] - rest[edge[0]]).norm()});
}

double Elastic::energy(std::span<const Vec3> positions) const {
  double sum = 0;
  for (const auto& [ends, length] : springs_) {
    const double stretch = (positions[ends[1]] - positions[ends[0]]).norm() - length;
    sum += 0.5 * stiffness_ * stretch * stretch;
  }
  return sum;
}

void Elastic::add_gradient(std::span<const Vec3> positions, std::span<Vec3> gradient,
                           std::span<double> diagonal) const {
  for (const auto& [ends, length] : springs_) {
    const Vec3 along = positions[ends[1]] - positions[ends[0]];
    const double now = along.norm();
    if (now > 0) {
      const Vec3 force = stiffness_ * (now - length) / now * along;
      gradient[ends[1]] += force;
      gradient[ends[0]] -= force;
    }
    // Gershgorin: the two blocks of a row, each at most the stiffness.
    for (const std::uint32_t end : ends) diagonal[end] += 2 * stiffness_;
  }
}

}  // namespace graze
