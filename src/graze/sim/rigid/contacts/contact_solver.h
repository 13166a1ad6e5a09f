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
// separate slowly. Sleeping and stopped bodies count as static. If `only` is not empty, bodies that
// it does not list keep their velocity.
//
// Restitution is Newton's: a contact that approaches faster than `bounce_speed` and would arrive
// within the remaining time separates with `restitution` times that speed. Friction is Coulomb's,
// on each of two tangents by itself. Contacts are solved by projected Gauss-Seidel. Joints transmit
// contact impulses (joint_group.h), so that joint velocities hold throughout, and joints are closed
// at the end of the remaining time.
//
// Let W be the work of separating near bodies and of closing joints.
//   (1) The kinetic energy grows by at most W. Where restitution or the start impulses would make
//       it grow more, they are left out.
//   (2) With `only` empty: the velocities include the gravity of the whole step, and `left` is the
//       whole step. The kinetic energy minus the work of gravity along the motion of the step does
//       not exceed the kinetic energy before gravity by more than W and rounding. So the total
//       energy of a step without further impacts does not grow: contact_solver.cpp, limit_energy().
//
// Only bodies of these contacts and joints (indices in Model::joints) change. Contact::impulse is
// the start value on entry and the result on return. Returns false, and changes nothing, if bodies
// that `only` does not list would give energy to those that it lists.
bool solve_velocities(System& system, std::span<Contact> contacts,
                      std::span<const std::uint32_t> joints, const SolveTimes& times,
                      double bounce_speed, std::span<const std::uint32_t> only = {});

}  // namespace graze::sim::rigid
