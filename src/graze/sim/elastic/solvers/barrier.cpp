#include "graze/sim/elastic/solvers/barrier.h"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <Eigen/LU>
#include <cmath>

#include "graze/separation.h"

namespace graze::sim::soft {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector4d;
using Vector12 = Eigen::Matrix<double, 12, 1>;
using Matrix12 = Eigen::Matrix<double, 12, 12>;

// A function of one variable with two derivatives.
struct Jet {
  double value, slope, curvature;
};

Jet barrier(double s) {
  const double log = std::log(s), t = s - 1;
  return {-t * t * log, -2 * t * log - t * t / s, -2 * log - 4 * t / s + t * t / (s * s)};
}

Jet mollifier(double c, double threshold) {
  const double x = c / threshold;
  if (!(x < 1)) return {1, 0, 0};
  return {x * (2 - x), 2 * (1 - x) / threshold, -2 / (threshold * threshold)};
}

// The closest points of a pair: their difference is the sum of weights_i corner_i, and the weights
// change along `free` directions as the points move within their features.
struct Closest {
  Vector4d weights = Vector4d::Zero();
  std::array<Vector4d, 2> free;
  int freedom = 0;
  Vec3 between = Vec3::Zero();  // vector between the points

  void let(const Vector4d& direction) { free[static_cast<std::size_t>(freedom++)] = direction; }
};

Vec3 combine(const Vector4d& weights, const std::array<Vec3, 4>& corners) {
  Vec3 sum = Vec3::Zero();
  for (int i = 0; i < 4; ++i)
    if (weights[i] != 0) sum += weights[i] * corners[static_cast<std::size_t>(i)];
  return sum;
}

// A coordinate this close to the border of a feature counts as on it: the squared distance changes
// by no more than the square of this.
constexpr double on_border = 1e-9;

double snapped(double x) {
  return x < on_border ? 0 : x > 1 - on_border ? 1 : x;
}

bool is_inner(double x) {
  return x > 0 && x < 1;
}

Closest closest_of(const Barrier::Feature& pair) {
  const auto& x = pair.corners;
  Closest closest;
  switch (pair.kind) {
    case Kind::vertex_face: {
      const ClosestPoints at = closest_points(VertexFace{x, x}, 0);
      double u = snapped(at.u), v = snapped(at.v), w = snapped(1 - u - v);
      const double sum = u + v + w;
      u /= sum, v /= sum, w /= sum;
      closest.weights = {1, -w, -u, -v};
      if (u > 0 && w > 0) closest.let({0, 1, -1, 0});
      if (v > 0 && w > 0) closest.let({0, 1, 0, -1});
      if (u > 0 && v > 0 && w == 0) closest.let({0, 0, 1, -1});
      break;
    }
    case Kind::edge_edge: {
      const ClosestPoints at = closest_points(EdgeEdge{x, x}, 0);
      const double u = snapped(at.u), v = snapped(at.v);
      closest.weights = {1 - u, u, v - 1, -v};
      if (is_inner(u)) closest.let({-1, 1, 0, 0});
      if (is_inner(v)) closest.let({0, 0, 1, -1});
      break;
    }
    case Kind::vertex_edge: {
      const std::array<Vec3, 3> of{x[0], x[1], x[2]};
      const double u = snapped(closest_points(VertexEdge{of, of}, 0).u);
      closest.weights = {1, u - 1, -u, 0};
      if (is_inner(u)) closest.let({0, 1, -1, 0});
      break;
    }
    case Kind::vertex_vertex:
      closest.weights = {1, -1, 0, 0};
      break;
    case Kind::edge_face:  // no query
      break;
  }
  closest.between = combine(closest.weights, x);
  return closest;
}

// Returns the vector times the weight of each corner.
Vector12 spread(const Vector4d& weights, const Vec3& vector) {
  Vector12 result;
  for (int i = 0; i < 4; ++i) result.segment<3>(3 * i) = weights[i] * vector;
  return result;
}

// The square of the distance is the least |r|^2 over the free parameters, r linear in each. With
// the columns J_k = dr/dparameter_k and g_k = half the derivative of the gradient by parameter k,
// eliminating the parameters gives the Hessian 2 (w w^T (x) 1 - g (J^T J)^-1 g^T).
Matrix12 distance_hessian(const Closest& closest, const std::array<Vec3, 4>& corners) {
  Matrix12 hessian = Matrix12::Zero();
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      hessian.block<3, 3>(3 * i, 3 * j)
          .diagonal()
          .setConstant(closest.weights[i] * closest.weights[j]);
  Eigen::Matrix<double, 12, 2> g;
  std::array<Vec3, 2> along;
  for (int k = 0; k < closest.freedom; ++k) {
    const auto at = static_cast<std::size_t>(k);
    along[at] = combine(closest.free[at], corners);
    g.col(k) = spread(closest.free[at], closest.between) + spread(closest.weights, along[at]);
  }
  // A nearly degenerate triangle is treated as its longer side.
  constexpr double flat = 1e-12;
  const auto eliminate = [&](int k) {
    const double length_sq = along[static_cast<std::size_t>(k)].squaredNorm();
    if (length_sq > 0) hessian.noalias() -= g.col(k) * g.col(k).transpose() / length_sq;
  };
  if (closest.freedom == 1) {
    eliminate(0);
  } else if (closest.freedom == 2) {
    Eigen::Matrix2d metric;
    metric << along[0].dot(along[0]), along[0].dot(along[1]), along[1].dot(along[0]),
        along[1].dot(along[1]);
    if (metric.determinant() > flat * metric(0, 0) * metric(1, 1))
      hessian.noalias() -= g * metric.inverse() * g.transpose();
    else
      eliminate(metric(0, 0) >= metric(1, 1) ? 0 : 1);
  }
  return 2 * hessian;
}

// |a x b|^2 of two edges a = x1 - x0 and b = x3 - x2.
struct EdgeCross {
  Vec3 a, b;
  double aa, ab, bb;

  explicit EdgeCross(const std::array<Vec3, 4>& x)
      : a(x[1] - x[0]), b(x[3] - x[2]), aa(a.dot(a)), ab(a.dot(b)), bb(b.dot(b)) {}

  double value() const { return a.cross(b).squaredNorm(); }
  Vector12 gradient() const {
    const Vec3 by_a = 2 * (bb * a - ab * b), by_b = 2 * (aa * b - ab * a);
    Vector12 result;
    result << -by_a, by_a, -by_b, by_b;
    return result;
  }
  Matrix12 hessian() const {
    const Matrix3d one = Matrix3d::Identity();
    const Matrix3d by_aa = 2 * (bb * one - b * b.transpose());
    const Matrix3d by_bb = 2 * (aa * one - a * a.transpose());
    const Matrix3d by_ab = 2 * (2 * a * b.transpose() - b * a.transpose() - ab * one);
    const Matrix3d by_ba = by_ab.transpose();
    Matrix12 result;
    result << by_aa, -by_aa, by_ab, -by_ab, -by_aa, by_aa, -by_ab, by_ab, by_ba, -by_ba, by_bb,
        -by_bb, -by_ba, by_ba, -by_bb, by_bb;
    return result;
  }
};

// The energy depends on differences of corners only, so that the rows and columns of the first
// corner follow from the others. The part of the others is projected.
Matrix12 projected(const Matrix12& hessian) {
  using Matrix9 = Eigen::Matrix<double, 9, 9>;
  const Eigen::SelfAdjointEigenSolver<Matrix9> eigen(hessian.bottomRightCorner<9, 9>());
  const Matrix9& vectors = eigen.eigenvectors();
  Matrix12 result;
  result.bottomRightCorner<9, 9>().noalias() =
      vectors * eigen.eigenvalues().cwiseMax(0).asDiagonal() * vectors.transpose();
  Eigen::Matrix<double, 3, 9> sums;
  for (int j = 0; j < 3; ++j)
    sums.middleCols<3>(3 * j) = result.block<3, 3>(3, 3 + 3 * j) +
                                result.block<3, 3>(6, 3 + 3 * j) + result.block<3, 3>(9, 3 + 3 * j);
  result.topRightCorner<3, 9>() = -sums;
  result.bottomLeftCorner<9, 3>() = -sums.transpose();
  result.topLeftCorner<3, 3>() = sums.leftCols<3>() + sums.middleCols<3>(3) + sums.rightCols<3>();
  return result;
}

}  // namespace

double parallel_threshold(double length_a, double length_b) {
  return 1e-3 * length_a * length_a * length_b * length_b;
}

double Barrier::energy(const Feature& pair) const {
  const double s = closest_of(pair).between.squaredNorm() / (reach * reach);
  if (s >= 1) return 0;
  if (pair.kind != Kind::edge_edge) return repulsion * barrier(s).value;
  const double m = mollifier(EdgeCross(pair.corners).value(), pair.parallel).value;
  return m > 0 ? repulsion * m * barrier(s).value : 0;
}

LocalModel<4> Barrier::linearize(const Feature& pair, Curvature curvature) const {
  LocalModel<4> model;
  model.gradient.setZero();
  model.hessian.setZero();
  const Closest closest = closest_of(pair);
  const double scale = 1 / (reach * reach), s = scale * closest.between.squaredNorm();
  if (s >= 1) return model;
  const Jet b = barrier(s);
  Jet m{1, 0, 0};
  if (pair.kind == Kind::edge_edge) {
    m = mollifier(EdgeCross(pair.corners).value(), pair.parallel);
    if (!(m.value > 0)) return model;
  }
  const Vector12 by_s = 2 * scale * spread(closest.weights, closest.between);
  const double slope = repulsion * m.value * b.slope;
  model.gradient = slope * by_s;
  model.hessian = slope * scale * distance_hessian(closest, pair.corners);
  model.hessian.noalias() += repulsion * m.value * b.curvature * by_s * by_s.transpose();
  if (m.slope != 0) {
    const EdgeCross cross(pair.corners);
    const Vector12 by_c = cross.gradient();
    const Matrix12 mixed = by_s * by_c.transpose();
    model.gradient += repulsion * b.value * m.slope * by_c;
    model.hessian +=
        repulsion * (b.slope * m.slope * (mixed + mixed.transpose()) +
                     b.value * (m.curvature * by_c * by_c.transpose() + m.slope * cross.hessian()));
  }
  if (curvature == Curvature::projected) model.hessian = projected(model.hessian);
  return model;
}

}  // namespace graze::sim::soft
