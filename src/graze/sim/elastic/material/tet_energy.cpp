#include "graze/sim/elastic/material/tet_energy.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/SVD>
#include <cmath>

namespace graze::sim::soft {
namespace {

using Eigen::Matrix3d;

}  // namespace

Lame lame_of_solid(double young, double poisson) {
  return {young / (2 * (1 + poisson)), young * poisson / ((1 + poisson) * (1 - 2 * poisson))};
}

// Hooke's law: dpsi at F = 1 is 0 with a as given, and the second differential there is
//   3m/4 |dF|^2 + m/8 tr(dF)^2 + l tr(dF)^2 - 3m/4 (tr(dF)^2 - tr(dF dF))
//     = 3m/2 |e|^2 + (l - 5m/8) tr(e)^2,   e = (dF + dF^T) / 2,
// which is 2 mu |e|^2 + lambda tr(e)^2 with m = 4/3 mu and l = lambda + 5/6 mu.
TetEnergy::TetEnergy(std::span<const Vec3> rest, const Tetrahedron& corners, const Lame& lame)
    : corners_(corners),
      volume_(volume_of(rest, corners)),
      m_(4 * lame.mu / 3),
      l_(lame.lambda + 5 * lame.mu / 6),
      a_(1 + 3 * m_ / (4 * l_)) {
  Matrix3d edges;
  for (int k = 0; k < 3; ++k)
    edges.col(k) = rest[corners[static_cast<std::size_t>(k) + 1]] - rest[corners[0]];
  slopes_.rightCols<3>() = edges.inverse().transpose();
  slopes_.col(0) = -slopes_.rightCols<3>().rowwise().sum();
}

Matrix3d TetEnergy::deformation(std::span<const Vec3> positions) const {
  Matrix3d f = Matrix3d::Zero();
  for (int k = 1; k < 4; ++k)
    f += (positions[corners_[static_cast<std::size_t>(k)]] - positions[corners_[0]]) *
         slopes_.col(k).transpose();
  return f;
}

double TetEnergy::energy(std::span<const Vec3> positions) const {
  const Matrix3d f = deformation(positions);
  const double i = f.squaredNorm(), j = f.determinant();
  return volume_ / 2 * (m_ * (i - 3 - std::log((i + 1) / 4)) + l_ * (j - 1) * (j + 1 - 2 * a_));
}

// With F = U diag(s) V^T, U and V turned so that det(U V^T) = 1 (the last s carries the sign of J),
// psi is a symmetric function of s, and its Hessian by F is block diagonal in the basis U (.) V^T:
//   diagonal matrices             the 3 x 3 matrix of second derivatives by s;
//   e_i e_j^T - e_j e_i^T         (psi_i + psi_j) / (s_i + s_j);
//   e_i e_j^T + e_j e_i^T         (psi_i - psi_j) / (s_i - s_j).
// Here psi_i = n s_i + p s_j s_k with n = m (1 - 1/(I+1)) and p = l (J - a), so that the quotients
// are n + p s_k and n - p s_k without a division. Projection sets negative eigenvalues to 0.
LocalModel<4> TetEnergy::linearize(std::span<const Vec3> positions, Curvature curvature) const {
  const Matrix3d f = deformation(positions);
  const Eigen::JacobiSVD<Matrix3d> svd(f, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Matrix3d u = svd.matrixU();
  const Matrix3d& v = svd.matrixV();
  Vec3 s = svd.singularValues();
  if (u.determinant() * v.determinant() < 0) {
    u.col(2) = -u.col(2);
    s[2] = -s[2];
  }
  const double i1 = s.squaredNorm() + 1, n = m_ * (1 - 1 / i1), p = l_ * (s.prod() - a_);
  const Vec3 others(s[1] * s[2], s[2] * s[0], s[0] * s[1]);

  LocalModel<4> model;
  const Matrix3d stress = u * (n * s + p * others).asDiagonal() * v.transpose();
  for (int k = 0; k < 4; ++k) model.gradient.segment<3>(3 * k) = volume_ * stress * slopes_.col(k);

  model.hessian.setZero();
  const Eigen::Matrix<double, 3, 4> slopes = v.transpose() * slopes_;
  const auto add = [&](double eigenvalue, const Matrix3d& direction) {
    if (curvature == Curvature::projected && eigenvalue <= 0) return;
    const Eigen::Matrix<double, 3, 4> moved = u * direction * slopes;
    const Eigen::Map<const Eigen::Matrix<double, 12, 1>> column(moved.data());
    model.hessian.noalias() += volume_ * eigenvalue * column * column.transpose();
  };
  Matrix3d stretches = 2 * m_ / (i1 * i1) * s * s.transpose() + l_ * others * others.transpose();
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    stretches(i, i) += n;
    stretches(i, j) += p * s[k];
    stretches(j, i) += p * s[k];
    Matrix3d direction = Matrix3d::Zero();
    direction(i, j) = direction(j, i) = std::sqrt(0.5);
    add(n - p * s[k], direction);
    direction(j, i) = -direction(j, i);
    add(n + p * s[k], direction);
  }
  const Eigen::SelfAdjointEigenSolver<Matrix3d> eigen(stretches);
  for (int i = 0; i < 3; ++i) add(eigen.eigenvalues()[i], eigen.eigenvectors().col(i).asDiagonal());
  return model;
}

}  // namespace graze::sim::soft
