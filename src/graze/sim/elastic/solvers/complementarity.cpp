#include "graze/sim/elastic/solvers/complementarity.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace graze::sim::soft {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double infinite = std::numeric_limits<double>::infinity();

class DualActiveSet {
 public:
  DualActiveSet(const MatrixXd& a, const VectorXd& r, double tolerance)
      : a_(a),
        r_(r),
        tolerance_(tolerance),
        slack_(-r),
        dropped_(static_cast<std::size_t>(a.rows())) {
    result_.lambda = VectorXd::Zero(a.rows());
  }

  Complementarity run() {
    for (Index added = most_violated(); added >= 0; added = most_violated()) {
      make_active(added);
      // A bound against cycles by rounding, far above the number of pivots in practice.
      if (++result_.pivots > 100 * a_.rows()) break;
    }
    return std::move(result_);
  }

 private:
  Index most_violated() const {
    Index worst = -1;
    double least = -tolerance_;
    for (Index i = 0; i < slack_.size(); ++i)
      if (slack_[i] < least && !dropped_[std::size_t(i)]) {
        worst = i;
        least = slack_[i];
      }
    return worst;
  }

  // Raises the multiplier of q until its slack is 0. The multipliers of the active constraints
  // change by -direction so that their slacks stay 0; a constraint whose multiplier reaches 0 is
  // released.
  void make_active(Index q) {
    if (std::find(active_.begin(), active_.end(), q) != active_.end()) {
      refine();  // the slack has drifted by rounding
      return;
    }
    const std::vector<Index> before = active_;
    for (;;) {
      const VectorXd direction = solve_active(column(q));
      double curvature = a_(q, q);
      for (std::size_t k = 0; k < active_.size(); ++k)
        curvature -= a_(active_[k], q) * direction[Index(k)];
      // Below this the constraint is a linear combination of the active ones up to rounding.
      const bool depends = !(curvature > 1e-10 * a_(q, q));
      const double full = depends ? infinite : -slack_[q] / curvature;
      double step = full;
      std::size_t blocking = active_.size();
      for (std::size_t k = 0; k < active_.size(); ++k)
        if (direction[Index(k)] > 0) {
          const double limit = result_.lambda[active_[k]] / direction[Index(k)];
          if (limit < step) {
            step = limit;
            blocking = k;
          }
        }
      if (step == infinite) {
        // No constraint can be released: restores the solution without q.
        dropped_[std::size_t(q)] = true;
        ++result_.dropped;
        active_ = before;
        factorize();
        refine();
        return;
      }
      for (std::size_t k = 0; k < active_.size(); ++k)
        result_.lambda[active_[k]] =
            std::max(0.0, result_.lambda[active_[k]] - step * direction[Index(k)]);
      result_.lambda[q] += step;
      slack_ = a_ * result_.lambda - r_;
      if (blocking == active_.size()) {
        append(q);
        return;
      }
      result_.lambda[active_[blocking]] = 0;
      active_.erase(active_.begin() + std::ptrdiff_t(blocking));
      factorize();
      ++result_.pivots;
    }
  }

  // Solves for the multipliers of the active constraints from scratch.
  void refine() {
    VectorXd right(Index(active_.size()));
    for (std::size_t k = 0; k < active_.size(); ++k) right[Index(k)] = r_[active_[k]];
    const VectorXd found = solve_active(right);
    result_.lambda.setZero();
    for (std::size_t k = 0; k < active_.size(); ++k)
      result_.lambda[active_[k]] = std::max(0.0, found[Index(k)]);
    slack_ = a_ * result_.lambda - r_;
  }

  VectorXd column(Index q) const {
    VectorXd values(Index(active_.size()));
    for (std::size_t k = 0; k < active_.size(); ++k) values[Index(k)] = a_(active_[k], q);
    return values;
  }
  VectorXd solve_active(const VectorXd& right) const {
    const auto size = right.size();
    const auto lower = factor_.topLeftCorner(size, size).triangularView<Eigen::Lower>();
    VectorXd x = lower.solve(right);
    lower.transpose().solveInPlace(x);
    return x;
  }

  // Appends the row of q to the Cholesky factor of A over the active constraints.
  void append(Index q) {
    const auto size = Index(active_.size());
    if (factor_.rows() <= size) factor_.conservativeResize(2 * size + 8, 2 * size + 8);
    const VectorXd row =
        factor_.topLeftCorner(size, size).triangularView<Eigen::Lower>().solve(column(q));
    factor_.row(size).head(size) = row.transpose();
    factor_(size, size) = std::sqrt(a_(q, q) - row.squaredNorm());
    active_.push_back(q);
  }
  void factorize() {
    std::vector<Index> all;
    all.swap(active_);
    for (const Index q : all) append(q);
  }

  const MatrixXd& a_;
  const VectorXd& r_;
  double tolerance_;
  VectorXd slack_;
  std::vector<bool> dropped_;
  std::vector<Index> active_;
  MatrixXd factor_;
  Complementarity result_;
};

}  // namespace

Complementarity solve_complementarity(const MatrixXd& a, const VectorXd& r, double tolerance) {
  return DualActiveSet(a, r, tolerance).run();
}

}  // namespace graze::sim::soft
