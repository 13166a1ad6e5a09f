#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "graze/vec3.h"

namespace graze::sim {

// The two contact points of a pair as weighted sums of its vertices: sum_i weights[i] x_i is the
// vector from the point on the second primitive to the point on the first. The weights of the first
// primitive are >= 0 and sum to 1, those of the second are <= 0 and sum to -1.
struct ContactStencil {
  std::array<std::uint32_t, 4> vertices{};
  std::array<double, 4> weights{};
  std::size_t size = 0;  // entries in use, 2 to 4

  // Returns the weighted sum of `values`, which are indexed by vertex: positions give the vector
  // between the points, velocities give their relative velocity.
  Vec3 between(std::span<const Vec3> values) const {
    Vec3 sum = Vec3::Zero();
    for (std::size_t i = 0; i < size; ++i) sum += weights[i] * values[vertices[i]];
    return sum;
  }
};

// The contact law of an impulse.
struct ImpulseLaw {
  double restitution = 0;  // e in [0, 1]: separation speed over approach speed
  double friction = 0;     // Coulomb coefficient, >= 0
  double parting = 0;      // least separation speed after the impulse, >= 0, length per second
};

// Applies a collision impulse to the vertices of a pair and returns the impulse on the first
// primitive (zero if none was needed).
//
// w is the relative velocity of the two contact points (first minus second), `normal` the unit
// vector towards the first. The impulse changes normal . w to -e times its value, or to `parting`
// if that is larger, and reduces the tangential part of w by Coulomb friction. Nothing changes if
// the points already separate fast enough or if all vertices are pinned (inverse mass 0).
//
//   (1) Linear momentum is conserved up to rounding if no vertex is pinned.
//   (2) Angular momentum about any point is conserved too, if `normal` is parallel to the vector
//       between the points at the positions where the velocities change (those of the impact, not
//       of the start of the step). Friction has the moment of that vector and the impulse.
//   (3) Kinetic energy does not grow (restitution <= 1, parting 0, up to rounding), with or without
//       friction. Proof: the inverse effective mass K = sum weight^2 / mass is the same in all
//       directions, so the normal part loses (1 - e^2) w_n^2 / 2K, and friction, which at most
//       stops the sliding, takes energy from the tangential part alone.
//   (4) If an impulse was applied, normal . w becomes the larger of -e times its old value and
//       `parting`, up to rounding.
//
// DEVIATION: [Jansen] (29) has 1 - e for 1 + e and a normal that is not of unit length in (28).
// Reference: [Jansen] Section 3.5, ERRATA.
Vec3 apply_impulse(const ContactStencil& stencil, const Vec3& normal, const ImpulseLaw& law,
                   std::span<const double> inverse_mass, std::span<Vec3> velocities);

}  // namespace graze::sim
