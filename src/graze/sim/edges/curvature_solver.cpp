#include "graze/sim/edges/curvature_solver.h"

namespace graze::sim::edges {
namespace {

using Vector = Eigen::VectorXd;

constexpr double enough = 1e-3;  // relative residual that suffices for one Newton step
constexpr int budget = 400;      // iterations
constexpr double most_fill = 2;  // entries of the factor per entry of the matrix

Vector conjugate_gradients(const BlockMatrix& matrix, const Vector& b) {
  const auto diagonal = matrix.inverse_diagonal();
  const auto precondition = [&](const Vector& r) {
    Vector z(r.size());
    for (std::size_t i = 0; i < diagonal.size(); ++i) {
      const auto at = 3 * static_cast<Eigen::Index>(i);
      z.segment<3>(at) = diagonal[i] * r.segment<3>(at);
    }
    return z;
  };
  Vector x = Vector::Zero(b.size()), r = b, z = precondition(r), p = z;
  double rz = r.dot(z);
  const double goal = enough * enough * rz;
  for (int i = 0; i < budget && rz > goal; ++i) {
    const Vector ap = matrix * p;
    const double step = rz / p.dot(ap);
    x += step * p;
    r -= step * ap;
    z = precondition(r);
    const double before = rz;
    rz = r.dot(z);
    p = z + rz / before * p;
  }
  return x;
}

}  // namespace

CurvatureSolver::CurvatureSolver(const BlockMatrix& pattern) {
  factor_.analyzePattern(pattern.lower());
  // Factoring the identity gives the fill of the factor.
  BlockMatrix identity = pattern;
  identity.set_zero();
  for (std::uint32_t i = 0; i < pattern.particles(); ++i)
    identity.add(i, i, Eigen::Matrix3d::Identity());
  factor_.factorize(identity.lower());
  direct_ = static_cast<double>(factor_.matrixL().nestedExpression().nonZeros()) <=
            most_fill * static_cast<double>(pattern.lower().nonZeros());
}

Eigen::VectorXd CurvatureSolver::solve(const BlockMatrix& matrix, const Vector& b) {
  if (!direct_) return conjugate_gradients(matrix, b);
  factor_.factorize(matrix.lower());
  if (factor_.info() == Eigen::Success) return factor_.solve(b);
  return conjugate_gradients(matrix, b);  // not positive definite after rounding
}

}  // namespace graze::sim::edges
