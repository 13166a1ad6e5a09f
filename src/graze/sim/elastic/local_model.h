#pragma once

#include <Eigen/Core>

namespace graze {

// Gradient and Hessian of an energy that depends on N vertices, three rows per vertex.
template <int N>
struct LocalModel {
  Eigen::Matrix<double, 3 * N, 1> gradient;
  Eigen::Matrix<double, 3 * N, 3 * N> hessian;
};

// What becomes of directions in which an energy is concave: Newton's method wants a Hessian that is
// positive semidefinite, tests want it as it is.
enum class Curvature : bool { as_it_is, projected };

}  // namespace graze
