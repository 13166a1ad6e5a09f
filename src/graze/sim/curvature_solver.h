#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>
#include <vector>

#include "graze/sim/block_cholesky.h"
#include "graze/sim/block_matrix.h"
#include "graze/sim/line_preconditioner.h"

namespace graze::sim {

// Solves A x = b for the steps of Newton's method, with positive definite A of one sparsity
// pattern. If the factor of the pattern has little fill (cables and other near-chains), A is
// factored. Otherwise conjugate gradients, preconditioned by the lines of particles that the caller
// names and by the diagonal blocks of the others, reduce the residual to `accuracy` times that of
// x = 0 (in the norm of the preconditioner). If that takes longer than twice a factorization, A is
// factored after all, and so are the matrices after it until restart().
//
//   (1) x is a descent direction of y.Ay / 2 - b.y at y = 0, or 0. If A is not positive definite in
//       doubles, x comes from the diagonal blocks or from the iteration so far.
//   (2) The result depends on the pattern of the constructor and on the calls since restart() only.
class CurvatureSolver {
 public:
  explicit CurvatureSolver(const BlockMatrix& pattern,
                           std::span<const std::vector<std::uint32_t>> lines = {},
                           double accuracy = 1e-3);

  // Allows the next matrix to have another pattern. The number of iterations before a factorization
  // does not change.
  void change_pattern();
  void restart() { is_slow_ = is_factored_ = false; }

  // Returns x. `guess`: where the iteration starts, or empty.
  Eigen::VectorXd solve(const BlockMatrix& matrix, const Eigen::VectorXd& b,
                        const Eigen::VectorXd& guess = {});

  // Returns the factor of the last matrix, or null if that was not factored or the pattern changed.
  const BlockCholesky* factor() const { return is_factored_ ? &*factor_ : nullptr; }

 private:
  std::vector<std::vector<std::uint32_t>> lines_;
  double accuracy_;
  std::optional<LinePreconditioner> preconditioner_;  // made when it is needed
  bool is_direct_;                                    // matrices are factored at once
  double budget_ = 0;                    // iterations that take as long as two factorizations
  std::optional<BlockCholesky> factor_;  // made when it is needed
  bool is_slow_ = false;                 // the budget was spent since restart()
  bool is_factored_ = false;
};

}  // namespace graze::sim
