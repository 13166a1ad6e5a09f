#include "graze/sim/impulse.h"

#include <algorithm>

namespace graze::sim {

Vec3 apply_impulse(const ContactStencil& stencil, const Vec3& normal, const ImpulseLaw& law,
                   std::span<const double> inverse_mass, std::span<Vec3> velocities) {
  double resistance = 0;
  for (std::size_t i = 0; i < stencil.size; ++i)
    resistance += stencil.weights[i] * stencil.weights[i] * inverse_mass[stencil.vertices[i]];
  const Vec3 relative = stencil.between(velocities);
  const double approach = -normal.dot(relative);
  const double change = approach + std::max(law.restitution * approach, law.parting);
  if (!(change > 0) || !(resistance > 0)) return Vec3::Zero();

  const double push = change / resistance;
  const Vec3 sliding = relative + approach * normal;
  const double speed = sliding.norm();
  // Coulomb's cone: at most friction times the push, and no more than stops the sliding.
  const double drag = speed > 0 ? std::min(law.friction * push / speed, 1 / resistance) : 0;
  const Vec3 impulse = push * normal - drag * sliding;
  for (std::size_t i = 0; i < stencil.size; ++i) {
    const std::uint32_t vertex = stencil.vertices[i];
    velocities[vertex] += stencil.weights[i] * inverse_mass[vertex] * impulse;
  }
  return impulse;
}

}  // namespace graze::sim
