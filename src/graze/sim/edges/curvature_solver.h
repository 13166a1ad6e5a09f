#pragma once

#include <Eigen/SparseCholesky>

#include "graze/sim/block_matrix.h"

namespace graze::sim::edges {

// Solves A x = b for positive definite A with the sparsity pattern of `pattern`. If the factor has
// little fill (cables and other near-chains), A is factored; otherwise (nets) the system is solved
// by conjugate gradients, preconditioned by the diagonal blocks, until the residual is a thousandth
// or the budget is spent. In every case x is a descent direction of x.Ax/2 - b.x.
class CurvatureSolver {
 public:
  explicit CurvatureSolver(const BlockMatrix& pattern);

  Eigen::VectorXd solve(const BlockMatrix& matrix, const Eigen::VectorXd& b);

 private:
  bool direct_;
  Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> factor_;
};

}  // namespace graze::sim::edges
