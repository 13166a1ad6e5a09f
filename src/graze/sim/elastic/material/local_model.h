#pragma once

#include <Eigen/Core>

namespace graze::sim::soft {

// Gradient and Hessian of an energy that depends on N vertices, three rows per vertex.
template <int N>
struct LocalModel {
  Eigen::Matrix<double, 3 * N, 1> gradient;
  Eigen::Matrix<double, 3 * N, 3 * N> hessian;
};

// The Hessian to compute: the true one, or its projection onto positive semidefinite matrices for
// Newton's method.
enum class Curvature : bool { as_it_is, projected };

}  // namespace graze::sim::soft
