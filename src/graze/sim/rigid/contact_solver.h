#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graze/core/vec3.h"

namespace graze {

struct RigidSystem;

// Two bodies near each other at one place.
struct BodyContact {
  std::uint32_t a, b;
  Vec3 point;   // in the world, in the middle
  Vec3 normal;  // from b to a, of length 1
  double distance;
};

// Where surfaces are within twice the gap: at most a few dozen places for each pair, spread out,
// the nearest of each pair among them.
std::vector<BodyContact> find_contacts(const RigidSystem& system);

// Changes velocities and spins by impulses at the contacts, so that none is used up within
// `seconds`: where bodies are nearer than the gap they part slowly, and what hits faster than
// `bounce_speed` bounces. Friction is Coulomb's. Gauss-Seidel on one contact after the other.
void solve_velocities(RigidSystem& system, std::span<const BodyContact> contacts, double seconds,
                      double bounce_speed);

}  // namespace graze
