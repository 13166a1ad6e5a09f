#pragma once

#include <Eigen/Core>

namespace graze::sim::soft {

// The solution of lambda >= 0, slack = A lambda - r >= 0, lambda . slack = 0.
struct Complementarity {
  Eigen::VectorXd lambda;
  int pivots = 0;
  int dropped = 0;  // constraints that contradict earlier ones; their slack stays below 0
};

// The multipliers of the quadratic programme min 1/2 p.Hp + g.p subject to J p >= b, in its dual:
// A = J H^-1 J^T, r = b + J H^-1 g; then p = H^-1 (J^T lambda - g) and slack = J p - b.
//
// Constraints become active one by one, the most violated first. A constraint whose multiplier
// would become negative is released. Each step ends at the optimum of the active constraints with a
// larger dual objective, so that no active set occurs twice.
//   (1) lambda >= 0; the slack is >= -tolerance except for dropped constraints, and |slack| <=
//       tolerance if lambda > 0.
//   (2) If constraints depend on each other (A is singular), one of several solutions is
//       returned. A constraint that cannot be met together with the others is dropped.
// A is symmetric and positive semidefinite with a positive diagonal; tolerance > 0, in the unit of
// r. Cost: a pivot takes m n flops for n constraints, m of them active, and m^3 if one is released.
// Reference: Goldfarb and Idnani, A numerically stable dual method for solving strictly convex
// quadratic programs, Mathematical Programming 27, 1983.
Complementarity solve_complementarity(const Eigen::MatrixXd& a, const Eigen::VectorXd& r,
                                      double tolerance);

}  // namespace graze::sim::soft
