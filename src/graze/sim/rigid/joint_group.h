#pragma once

#include <Eigen/Cholesky>
#include <vector>

#include "graze/sim/rigid/contact_solver.h"
#include "graze/sim/rigid/solver_bodies.h"

namespace graze {

struct BallJoint;

// Bodies that joints connect, and the joints, by Lagrange multipliers: [van Waveren 2005]
// Section 6.
//
// A joint asks that its ends part at some speed: J v = target. Impulses J^T m at the joints change
// v by M^-1 J^T m, so that the multipliers m solve (J M^-1 J^T) m = target - J v. First the target
// is 0. Where bodies turn, that takes the ends apart by the square of the angle; so where they will
// be at the end of the time is found, and what is wrong there is asked for next. (With impulses
// across where bodies are at the start this is the method SHAKE of [Ryckaert 1977].)
class JointGroup {
 public:
  JointGroup(const SolverBodies& bodies, const StateRange& range, const SolveTimes& times);

  const StateRange& range() const { return range_; }
  bool has_joints() const { return !joints_.empty(); }
  // All of them before anything else is asked.
  void add(const SolverBodies& bodies, const BallJoint& joint);
  void factor(const SolverBodies& bodies);

  // What impulses at joints add to this change of the group's velocities, so that the ends part no
  // faster than without both.
  Eigen::VectorXd reaction(const SolverBodies& bodies, const Eigen::VectorXd& change) const;

  void reset();  // the target
  // Changes the velocities so that all joints do as they are asked.
  void meet_target(SolverBodies& bodies) const;
  // Asks for what is wrong at the end of the time, so many times at most, and meets it. False where
  // nothing was to be corrected, or could be: of a body that turns fast it may be impossible, or
  // take more energy than a hundredth of what there is.
  bool correct(SolverBodies& bodies, int rounds);

  // Of the velocities, among all at which the joints do as they are asked, that have the least.
  double closing_energy() const;

 private:
  struct Row {
    const BallJoint* joint;
    std::uint32_t a, b;                      // states
    Eigen::Matrix<double, 3, 6> on_a, on_b;  // the speed of parting of its ends
    Vec3 apart;                              // its ends, now
  };

  Eigen::VectorXd response(const SolverBodies& bodies, const Eigen::VectorXd& speeds) const;
  Eigen::VectorXd wrong_at_the_end(const SolverBodies& bodies) const;

  StateRange range_;
  SolveTimes times_;
  std::vector<Row> joints_;
  Eigen::LDLT<Eigen::MatrixXd> matrix_;
  Eigen::VectorXd target_;  // speeds of parting, joint by joint
  double spare_energy_ = 0;
};

}  // namespace graze
