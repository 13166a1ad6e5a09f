#pragma once

#include <span>
#include <vector>

#include "graze/sim/edge_system.h"

namespace graze {

// The springs of a model with those of its cables.
std::vector<Spring> all_springs(const EdgeModel& model);

struct FreeMotion {
  std::vector<Vec3> velocities;  // that lead to the end of the step
  int newton_steps = 0;
};

// One step of implicit Euler's rule without contact: the minimum of
//   |x - x~|^2 / 2h^2 (weighed by mass) + drag |x - x0|^2 / 2h + energy of springs and cables
// with x~ = x0 + h v + h^2 a, found by Newton's method with a line search. Springs of infinite
// stiffness are constraints; `tensions` (one per spring) holds their Lagrange multipliers, which
// are improved from one Newton step to the next (augmented Lagrangian).
FreeMotion free_motion(const EdgeModel& model, std::span<const Spring> springs,
                       std::span<const CableElasticity> cables,
                       std::span<const double> inverse_mass, double seconds,
                       std::span<double> tensions);

// Of the springs and cables, without that of constraints.
double elastic_energy(std::span<const Spring> springs, std::span<const CableElasticity> cables,
                      std::span<const Vec3> positions);

}  // namespace graze
