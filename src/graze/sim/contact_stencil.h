#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "graze/core/mesh.h"

namespace graze {

// The two points of a pair that meet, as weighted sums of its vertices: sum_i weight_i x_i is the
// vector from the second primitive's point to the first's. The weights of the first are >= 0 and
// add up to 1, those of the second are <= 0 and add up to -1.
struct ContactStencil {
  std::array<std::uint32_t, 4> vertices{};
  std::array<double, 4> weights{};
  std::size_t size = 0;

  Vec3 between(std::span<const Vec3> values) const {
    Vec3 sum = Vec3::Zero();
    for (std::size_t i = 0; i < size; ++i) sum += weights[i] * values[vertices[i]];
    return sum;
  }
};

// u and v as in StepImpact: a vertex and an edge have no v, two vertices neither.
ContactStencil contact_stencil(const Mesh& mesh, PairKind kind, const Pair& pair, double u,
                               double v);

// The normal on the side of the first primitive: that side on which it is at the start; where it is
// neither, against the motion.
Vec3 facing_normal(const ContactStencil& stencil, const Vec3& normal, std::span<const Vec3> start,
                   std::span<const Vec3> end);

}  // namespace graze
