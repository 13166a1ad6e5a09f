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
  Vec3 impulse = Vec3::Zero();  // on a: where to begin, then what was found
};

// Seconds of the step, and of what is left of it.
struct SolveTimes {
  double step, left;
};

// Changes velocities and spins by impulses at contacts and joints, so that no contact comes nearer
// than half the gap in the time left; where bodies are nearer than that they part slowly. What
// sleeps or is held is as good as fixed; where `only` is not empty, what it does not name goes on
// as it does.
//
// The law of impact is Newton's: what approaches faster than `bounce_speed` and would arrive within
// the time parts with `restitution` of the speed. Friction is Coulomb's, along two tangents each by
// itself. Contacts are improved one after the other (projected Gauss-Seidel); joints pass on what
// contacts do (joint_group.h), so that they hold all the while, and are closed at the end of the
// time.
//   (1) The kinetic energy does not grow but by the work of what makes near bodies part and joints
//       close: where bounces or the impulses to begin with would let it, they are left out.
// Only bodies of these contacts and joints (indices in system.joints) change. False, and nothing
// done, where bodies that go on as they do would give energy to those that `only` names.
bool solve_velocities(RigidSystem& system, std::span<BodyContact> contacts,
                      std::span<const std::uint32_t> joints, const SolveTimes& times,
                      double bounce_speed, std::span<const std::uint32_t> only = {});

}  // namespace graze
