#include "graze/sim/curvature_solver.h"

#include <cmath>
#include <span>
#include <utility>

namespace graze::sim {
namespace {

using Vector = Eigen::VectorXd;

constexpr double little_fill = 3;  // entries of the factor per entry of the matrix

// Returns the number of iterations that take twice as long as a factorization. An iteration
// multiplies twice with each entry of the lower triangle. Dense kernels are about eight times
// faster; in addition an entry of the factor costs as much as 20 multiplications.
double iterations_worth(const BlockMatrix& pattern, const BlockCholesky& factor) {
  return (factor.work() / 8 + 20 * static_cast<double>(factor.entries())) /
         static_cast<double>(pattern.lower().nonZeros());
}

struct Solution {
  Vector x;
  bool converged;
};

// Returns the product of the inverse diagonal blocks with r.
Vector times_blocks(std::span<const Eigen::Matrix3d> inverse_diagonal, const Vector& r) {
  Vector z(r.size());
  for (std::size_t i = 0; i < inverse_diagonal.size(); ++i) {
    const auto at = 3 * static_cast<Eigen::Index>(i);
    z.segment<3>(at) = inverse_diagonal[i] * r.segment<3>(at);
  }
  return z;
}

// The method of conjugate gradients lowers q(x) = x.Ax / 2 - b.x in every iteration. It starts from
// the multiple of the guess that minimises q, where q <= q(0) = 0. So q < 0 at its end unless x is
// 0, and then b.x > x.Ax / 2 > 0.
Solution conjugate_gradients(const BlockMatrix& matrix, const LinePreconditioner& near_inverse,
                             const Vector& b, const Vector& guess, double accuracy, double budget) {
  Vector z = near_inverse * b;
  const double goal = accuracy * accuracy * b.dot(z);
  Vector x = Vector::Zero(b.size()), r = b;
  if (guess.size() == b.size() && !guess.isZero(0)) {
    const Vector product = matrix * guess;
    const double length = b.dot(guess) / guess.dot(product);
    if (std::isfinite(length)) {
      x = length * guess;
      r -= length * product;
      z = near_inverse * r;
    }
  }
  Vector p = z;
  double rz = r.dot(z);
  for (double i = 0; !(rz <= goal); ++i) {
    if (i >= budget || !(rz > 0)) return {x, false};
    const Vector ap = matrix * p;
    const double step = rz / p.dot(ap);
    x += step * p;
    r -= step * ap;
    z = near_inverse * r;
    const double before = rz;
    rz = r.dot(z);
    p = z + rz / before * p;
  }
  return {x, rz >= 0};
}

}  // namespace

CurvatureSolver::CurvatureSolver(const BlockMatrix& pattern,
                                 std::span<const std::vector<std::uint32_t>> lines, double accuracy)
    : lines_(lines.begin(), lines.end()), accuracy_(accuracy), factor_(pattern) {
  const auto entries = static_cast<double>(pattern.lower().nonZeros());
  is_direct_ = static_cast<double>(factor_->entries()) <= little_fill * entries;
  budget_ = iterations_worth(pattern, *factor_);
}

void CurvatureSolver::change_pattern() {
  factor_.reset();
  preconditioner_.reset();
  is_factored_ = false;
}

Vector CurvatureSolver::solve(const BlockMatrix& matrix, const Vector& b, const Vector& guess) {
  is_factored_ = false;
  Solution solution{{}, false};
  if (!is_direct_ && !is_slow_) {
    if (!preconditioner_) preconditioner_.emplace(matrix, lines_);
    preconditioner_->factorize(matrix);
    solution = conjugate_gradients(matrix, *preconditioner_, b, guess, accuracy_, budget_);
  }
  if (solution.converged) return std::move(solution.x);
  is_slow_ = true;
  if (!factor_) factor_.emplace(matrix);
  is_factored_ = factor_->factorize(matrix);
  if (is_factored_) solution.x = factor_->solve(b);
  const bool descends = solution.x.size() > 0 && solution.x.allFinite() && solution.x.dot(b) >= 0;
  return descends ? std::move(solution.x) : times_blocks(matrix.inverse_diagonal(), b);
}

}  // namespace graze::sim
