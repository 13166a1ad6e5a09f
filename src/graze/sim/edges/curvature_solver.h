#pragma once

#include <Eigen/SparseCholesky>

#include "graze/sim/block_matrix.h"

namespace graze {

// Solves A x = b for positive definite A whose entries lie where those of `pattern` may. Cables and
// what else is nearly a chain is factored, at a cost in proportion to its length. A net would fill
// up and is solved by conjugate gradients, preconditioned by its diagonal blocks, until the
// residual is a thousandth or a budget is spent: also then x is a direction along which x.Ax/2 -
// b.x falls.
class CurvatureSolver {
 public:
  explicit CurvatureSolver(const BlockMatrix& pattern);

  Eigen::VectorXd solve(const BlockMatrix& matrix, const Eigen::VectorXd& b);

 private:
  bool direct_;
  Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> factor_;
};

}  // namespace graze
