#pragma once

#include <Eigen/Cholesky>
#include <optional>
#include <vector>

#include "graze/sim/rigid/contacts/contact_solver.h"
#include "graze/sim/rigid/contacts/solver_bodies.h"

namespace graze::sim::rigid {

// Bodies connected by joints, and these joints, solved by Lagrange multipliers: [van Waveren 2005]
// Section 6.
//
// A joint requires a relative velocity of its two ends: J v = target. Impulses J^T m at the joints
// change v by M^-1 J^T m, so the multipliers m solve (J M^-1 J^T) m = target - J v. The first
// target is 0. Bodies that turn open such a joint by the square of the angle. So the gap of each
// joint at the end of the remaining time is computed, and the next target closes it. (With impulse
// directions taken at the start this is the method SHAKE of [Ryckaert 1977].)
class JointGroup {
 public:
  JointGroup(const SolverBodies& bodies, const StateRange& range, const SolveTimes& times);

  const StateRange& range() const { return range_; }
  bool has_joints() const { return !joints_.empty(); }
  // Adds a joint. All calls precede factor(), which precedes everything else.
  void add(const SolverBodies& bodies, const BallJoint& joint);
  void factor(const SolverBodies& bodies);

  // Returns the change of velocities by joint impulses that cancels the effect of `change` on the
  // relative velocities of the joints.
  Eigen::VectorXd reaction(const SolverBodies& bodies, const Eigen::VectorXd& change) const;

  void reset();  // sets the target to 0
  // Changes the velocities so that every joint has its target velocity.
  void meet_target(SolverBodies& bodies) const;
  // Runs at most `rounds` position corrections: each adds the joint gaps at the end of the
  // remaining time to the target and meets it. Returns false if none was needed or possible. A
  // correction is rejected if the gaps do not shrink or if it takes more than a hundredth of the
  // kinetic energy.
  bool correct(SolverBodies& bodies, int rounds);

  // Returns the kinetic energy of the minimum-energy velocities that meet the target.
  double closing_energy() const;

 private:
  struct Row {
    const BallJoint* joint;
    std::uint32_t a, b;                      // states
    Eigen::Matrix<double, 3, 6> on_a, on_b;  // Jacobian of the relative velocity of the ends
    Vec3 apart;                              // current vector between the ends
  };

  // Returns the change of velocities that changes the relative velocities of the joints by
  // `speeds`.
  Eigen::VectorXd response(const SolverBodies& bodies, const Eigen::VectorXd& speeds) const;
  Eigen::VectorXd gaps_at_the_end(const SolverBodies& bodies) const;

  StateRange range_;
  SolveTimes times_;
  std::vector<Row> joints_;
  std::optional<Eigen::LDLT<Eigen::MatrixXd>> matrix_;  // empty without joints
  Eigen::VectorXd target_;                              // relative velocities, joint by joint
  double spare_energy_ = 0;
};

}  // namespace graze::sim::rigid
