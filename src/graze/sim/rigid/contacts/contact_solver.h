#pragma once

#include <cstdint>
#include <span>

#include "graze/sim/rigid/system.h"

namespace graze::sim::rigid {

// The length of the step and of its remaining part, in seconds.
struct SolveTimes {
  double step, left;
};

// Changes velocities and spins by impulses at contacts and joints, so that no contact comes nearer
// than half the gap in the remaining time. Bodies that are nearer than a quarter of the gap
// separate slowly, as far as their energy allows. Sleeping and stopped bodies count as static. If
// `only` is not empty, bodies that it does not list keep their velocity.
//
// Restitution is Newton's: a contact that approaches faster than `bounce_speed` and would arrive
// within the remaining time separates with `restitution` times that speed. Friction is Coulomb's,
// on each of two tangents by itself. Contacts are solved by projected Gauss-Seidel, the normal
// impulses of a pair of bodies together. Joints transmit contact impulses (joint_group.h), so that
// joint velocities hold throughout, and joints are closed at the end of the remaining time, unless
// an island could not repay the energy that this takes: then open joints stay as they are.
//
//   (1) The balance of each island in System::accounts is updated and stays at least 0, so that no
//       island gains energy; or the kinetic energy of the island exceeds its debt. An island with
//       joints may owe more: contact_solver.cpp, limit_energy().
//   (2) The kinetic energy grows by at most the work of closing joints and of separating near
//       bodies. Where restitution or the start impulses would make it grow more, they are left out.
//
// Only bodies of these contacts and joints (indices in Model::joints) change. Contact::impulse is
// the start value on entry and the result on return. Returns false, and changes nothing, if bodies
// that `only` does not list would give energy to those that it lists.
bool solve_velocities(System& system, std::span<Contact> contacts,
                      std::span<const std::uint32_t> joints, const SolveTimes& times,
                      double bounce_speed, std::span<const std::uint32_t> only = {});

}  // namespace graze::sim::rigid
