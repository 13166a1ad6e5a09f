#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "graze/sim/block_matrix.h"
#include "graze/sim/curvature_solver.h"
#include "graze/sim/edges/cable.h"

namespace graze::sim::edges {

// The motion of a model without contact: one step of implicit Euler, the minimum of
//   |x - x~|^2 / 2h^2 (weighted by mass) + drag |x - x0|^2 / 2h + energy of springs and cables
// with x~ = x0 + h v + h^2 a. The minimum is approached by Newton's method with a line search that
// starts at x0, or where the objective is less, and ends when little is left to gain. The objective
// decreases in every iteration, so that kinetic plus elastic energy grows only by the work of
// forces, however early it ends. Springs of infinite stiffness are constraints: their tensions
// (Lagrange multipliers) are updated after each Newton step (augmented Lagrangian).
class EdgeDynamics {
 public:
  explicit EdgeDynamics(const Model& model);

  // Takes the cable frames and the tensions of a state, and writes them back.
  void load(const State& state);
  void store(State& state) const;

  // Returns the velocities that lead from the positions of the state to the end of the step; pinned
  // particles keep theirs. Starts from the positions of the state or from those that one of the
  // guesses (velocities) leads to, whichever has the least objective. Adds the number of Newton
  // steps to `newton_steps`. Updates the tensions. Ends early, with the iterate so far, if run.stop
  // is set.
  std::vector<Vec3> velocities(const Model& model, const State& state, double seconds,
                               std::initializer_list<std::span<const Vec3>> guesses,
                               int& newton_steps, const Run& run);
  // Transports the cable frames to the end of the step.
  void carry(std::span<const Vec3> positions);

  // Returns the energy of springs and cables, constraints excepted.
  double elastic_energy(std::span<const Vec3> positions) const;

 private:
  class Step;

  std::vector<Spring> springs_;  // followed by the elements of the cables
  std::vector<double> tensions_;
  std::vector<CableElasticity> cables_;
  std::vector<double> inverse_mass_;
  BlockMatrix curvature_;
  CurvatureSolver solver_;
};

// Returns the springs of a model, followed by the elements of its cables.
std::vector<Spring> all_springs(const Model& model);

// Returns the energy of springs and cables, constraints excepted.
double elastic_energy(std::span<const Spring> springs, std::span<const CableElasticity> cables,
                      std::span<const Vec3> positions);

}  // namespace graze::sim::edges
