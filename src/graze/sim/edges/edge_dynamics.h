#pragma once

#include <span>
#include <vector>

#include "graze/sim/block_matrix.h"
#include "graze/sim/edges/curvature_solver.h"
#include "graze/sim/edges/edge_system.h"

namespace graze {

// How a model moves where nothing touches: one step of implicit Euler's rule at a time, the minimum
// of
//   |x - x~|^2 / 2h^2 (weighed by mass) + drag |x - x0|^2 / 2h + energy of springs and cables
// with x~ = x0 + h v + h^2 a. It is looked for by Newton's method with a line search, from x0 on
// and only until little is left to gain; as the objective decreases all the time, kinetic and
// elastic energy together do not grow but by the work of forces, however early it stops. Springs of
// infinite stiffness are constraints: their tensions, the Lagrange multipliers, are improved from
// one Newton step to the next (augmented Lagrangian).
class EdgeDynamics {
 public:
  explicit EdgeDynamics(const EdgeModel& model);

  // The velocities that lead from the positions of the model to the end of the step; those of
  // pinned particles are theirs. Looks around `guess` first. Adds to `newton_steps` how many it
  // took.
  std::vector<Vec3> velocities(const EdgeModel& model, double seconds, std::span<const Vec3> guess,
                               int& newton_steps);
  // The positions that the step has led to, contact included.
  void carry(std::span<const Vec3> positions);

  // Of springs and cables, without constraints.
  double elastic_energy(std::span<const Vec3> positions) const;

  std::vector<CableElasticity>& cables() { return cables_; }
  const std::vector<CableElasticity>& cables() const { return cables_; }
  std::vector<double>& tensions() { return tensions_; }
  const std::vector<double>& tensions() const { return tensions_; }

 private:
  class Step;

  std::vector<Spring> springs_;  // with those of the cables
  std::vector<double> tensions_;
  std::vector<CableElasticity> cables_;
  std::vector<double> inverse_mass_;
  BlockMatrix curvature_;
  CurvatureSolver solver_;
};

}  // namespace graze
