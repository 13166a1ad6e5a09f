#include "graze/sim/elastic/material/shell_energy.h"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <Eigen/LU>
#include <Eigen/SVD>
#include <cmath>
#include <map>

namespace graze::sim::soft {
namespace {

using Eigen::Matrix2d;
using Eigen::Vector2d;
using Matrix32 = Eigen::Matrix<double, 3, 2>;

double area_of(const Vec3& a, const Vec3& b) {
  return a.cross(b).norm() / 2;
}

// Returns the cotangent of the angle between two vectors.
double cotangent(const Vec3& a, const Vec3& b) {
  return a.dot(b) / a.cross(b).norm();
}

}  // namespace

// Plane stress: a change of the thickness takes no energy.
Lame lame_of_sheet(double young, double poisson) {
  return {young / (2 * (1 + poisson)), young * poisson / (1 - poisson * poisson)};
}

double bending_stiffness(double young, double poisson, double thickness) {
  return young * thickness * thickness * thickness / (12 * (1 - poisson * poisson));
}

MembraneEnergy::MembraneEnergy(std::span<const Vec3> rest, const Face& corners, const Lame& lame,
                               double thickness)
    : corners_(corners), lame_(lame) {
  const Vec3 a = rest[corners[1]] - rest[corners[0]], b = rest[corners[2]] - rest[corners[0]];
  const Vec3 x = a.normalized(), y = a.cross(b).cross(a).normalized();
  Matrix2d edges;
  edges << a.dot(x), b.dot(x), 0, b.dot(y);
  slopes_.rightCols<2>() = edges.inverse().transpose();
  slopes_.col(0) = -slopes_.rightCols<2>().rowwise().sum();
  volume_ = thickness * area_of(a, b);
}

Matrix32 MembraneEnergy::deformation(std::span<const Vec3> positions) const {
  return (positions[corners_[1]] - positions[corners_[0]]) * slopes_.col(1).transpose() +
         (positions[corners_[2]] - positions[corners_[0]]) * slopes_.col(2).transpose();
}

double MembraneEnergy::energy(std::span<const Vec3> positions) const {
  const Matrix32 f = deformation(positions);
  const double log = std::log(f.col(0).cross(f.col(1)).norm());
  return volume_ *
         (lame_.mu / 2 * (f.squaredNorm() - 2) - lame_.mu * log + lame_.lambda / 2 * log * log);
}

// As for tetrahedra: with F = U (diag(s) above a row of zeros) V^T the Hessian is block diagonal
// in the basis U (.) V^T of 3 x 2 matrices. With p = lambda log J - mu, psi_i = mu s_i + p / s_i:
//   diagonal matrices            the 2 x 2 matrix of second derivatives by s;
//   e_1 e_2^T -+ e_2 e_1^T       mu +- p / (s_1 s_2);
//   e_3 e_i^T, out of the plane  psi_i / s_i = mu + p / s_i^2.
LocalModel<3> MembraneEnergy::linearize(std::span<const Vec3> positions,
                                        Curvature curvature) const {
  // With a column of zeros F is square: it needs no QR step before the rotations, and the
  // decomposition is the one that the tetrahedra compile. The zeros change neither U nor V.
  Eigen::Matrix3d square = Eigen::Matrix3d::Zero();
  square.leftCols<2>() = deformation(positions);
  const Eigen::JacobiSVD<Eigen::Matrix3d> svd(square, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const Eigen::Matrix3d& u = svd.matrixU();
  const Matrix2d v = svd.matrixV().topLeftCorner<2, 2>();
  const Vector2d s = svd.singularValues().head<2>();
  const auto& [mu, lambda] = lame_;
  const double p = lambda * std::log(s.prod()) - mu;

  LocalModel<3> model;
  const Matrix32 stress =
      u.leftCols<2>() * Vector2d(mu * s + p * s.cwiseInverse()).asDiagonal() * v.transpose();
  for (int k = 0; k < 3; ++k) model.gradient.segment<3>(3 * k) = volume_ * stress * slopes_.col(k);

  model.hessian.setZero();
  const Eigen::Matrix<double, 2, 3> slopes = v.transpose() * slopes_;
  const auto add = [&](double eigenvalue, const Matrix32& direction) {
    if (curvature == Curvature::projected && eigenvalue <= 0) return;
    const Eigen::Matrix3d moved = u * direction * slopes;
    const Eigen::Map<const Eigen::Matrix<double, 9, 1>> column(moved.data());
    model.hessian.noalias() += volume_ * eigenvalue * column * column.transpose();
  };
  Matrix32 direction = Matrix32::Zero();
  direction(0, 1) = direction(1, 0) = std::sqrt(0.5);
  add(mu - p / s.prod(), direction);
  direction(1, 0) = -direction(1, 0);
  add(mu + p / s.prod(), direction);
  Matrix2d stretches;
  for (int i = 0; i < 2; ++i) {
    direction.setZero();
    direction(2, i) = 1;
    add(mu + p / (s[i] * s[i]), direction);
    stretches(i, i) = mu + (lambda - p) / (s[i] * s[i]);
    stretches(i, 1 - i) = lambda / s.prod();
  }
  const Eigen::SelfAdjointEigenSolver<Matrix2d> eigen(stretches);
  for (int i = 0; i < 2; ++i) {
    direction.setZero();
    direction.topRows<2>() = Matrix2d(eigen.eigenvectors().col(i).asDiagonal());
    add(eigen.eigenvalues()[i], direction);
  }
  return model;
}

// The weights w are those of the Laplacian of nonconforming linear elements, which vanish on linear
// functions. On equilateral triangles |sum w_i x_i| = (A0 + A1) |k_n - k_t / 3| with the curvatures
// k_n across and k_t along the edge. If a sheet is bent as a cylinder of curvature k about any
// axis, the square of k_n - k_t / 3 is k^2 / 3 on average over the three directions of edges, and
// an edge owns a third of A0 + A1: D/2 |sum w_i x_i|^2 / (A0 + A1) per edge is the
// plate's D/2 k^2 per area. DEVIATION: Bergou et al. have 3 / (A0 + A1), which is three times as
// stiff as the plate.
BendingEnergy::BendingEnergy(std::span<const Vec3> rest, const Corners& corners, double stiffness)
    : corners_(corners) {
  const auto at = [&](std::size_t i) { return rest[corners[i]]; };
  const Vec3 edge = at(1) - at(0);
  const double c01 = cotangent(edge, at(2) - at(0)), c02 = cotangent(edge, at(3) - at(0));
  const double c03 = cotangent(-edge, at(2) - at(1)), c04 = cotangent(-edge, at(3) - at(1));
  weights_ = {c03 + c04, c01 + c02, -c01 - c03, -c02 - c04};
  factor_ = stiffness / (area_of(edge, at(2) - at(0)) + area_of(edge, at(3) - at(0)));
}

Vec3 BendingEnergy::bend(std::span<const Vec3> positions) const {
  Vec3 sum = Vec3::Zero();
  for (std::size_t i = 1; i < 4; ++i)  // the weights sum to 0
    sum += weights_[i] * (positions[corners_[i]] - positions[corners_[0]]);
  return sum;
}

double BendingEnergy::energy(std::span<const Vec3> positions) const {
  return factor_ / 2 * bend(positions).squaredNorm();
}

LocalModel<4> BendingEnergy::linearize(std::span<const Vec3> positions) const {
  LocalModel<4> model;
  const Vec3 force = factor_ * bend(positions);
  for (int i = 0; i < 4; ++i) {
    const double weight = weights_[static_cast<std::size_t>(i)];
    model.gradient.segment<3>(3 * i) = weight * force;
    for (int j = 0; j < 4; ++j)
      model.hessian.block<3, 3>(3 * i, 3 * j) =
          factor_ * weight * weights_[static_cast<std::size_t>(j)] * Eigen::Matrix3d::Identity();
  }
  return model;
}

std::vector<BendingEnergy::Corners> hinges_of(std::span<const Face> faces) {
  std::map<Edge, std::vector<std::uint32_t>> opposite;
  for (const Face& face : faces)
    for (std::size_t k = 0; k < 3; ++k) {
      const auto [a, b] = std::minmax(face[k], face[(k + 1) % 3]);
      opposite[{a, b}].push_back(face[(k + 2) % 3]);
    }
  std::vector<BendingEnergy::Corners> hinges;
  for (const auto& [edge, corners] : opposite)
    if (corners.size() == 2) hinges.push_back({edge[0], edge[1], corners[0], corners[1]});
  return hinges;
}

}  // namespace graze::sim::soft
