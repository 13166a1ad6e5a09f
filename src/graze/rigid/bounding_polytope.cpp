#include "graze/rigid/bounding_polytope.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "graze/core/strict_arithmetic.h"

namespace graze {
namespace {

Vec3 mean(std::span<const Vec3> points) {
  Vec3 sum = Vec3::Zero();
  for (const Vec3& p : points) sum += p;
  return sum / static_cast<double>(points.size());
}

// Directions of largest to least spread. Any matrix is right for box(), a good one is tight.
Eigen::Matrix3d principal_axes(std::span<const Vec3> points) {
  const Vec3 centre = mean(points);
  Eigen::Matrix3d spread = Eigen::Matrix3d::Zero();
  for (const Vec3& p : points) spread += (p - centre) * (p - centre).transpose();
  Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver;
  solver.computeDirect(spread);
  const Eigen::Matrix3d axes = solver.eigenvectors();
  return axes.allFinite() ? axes : Eigen::Matrix3d::Identity();
}

// A box along the columns u of `axes`.
//
// With y = u^T (p - c) as computed and q = c + u y in real arithmetic, q lies in the box
// { c + u s : lo <= s <= hi }, whatever u is. What remains is |p - q| and the rounding of the
// corners. Both are sums c_k + u_k0 s_0 + u_k1 s_1 + u_k2 s_2 with |c| <= 2 and, as u is about
// orthonormal, terms below 8: three products and three sums round by less than 7 * 26 * 2^-53 in
// all, underflow included. |p - q| is measured, its measure rounds by no more. So 2^-44 covers
// (measure, corners, three coordinates each: 2 sqrt(3) * 7 * 26 * 2^-53 < 2^-43.3) with 2^-43.
BoundingPolytope box(std::span<const Vec3> points, const Eigen::Matrix3d& axes) {
  constexpr double err = 0x1p-43;
  const Vec3 c = mean(points);
  Vec3 lo = axes.transpose() * (points[0] - c), hi = lo;
  double residual = 0;
  for (const Vec3& p : points) {
    const Vec3 y = axes.transpose() * (p - c);
    lo = lo.cwiseMin(y);
    hi = hi.cwiseMax(y);
    residual = std::max(residual, (p - (c + axes * y)).lpNorm<1>());
  }
  BoundingPolytope result;
  for (int corner = 0; corner < 8; ++corner) {
    const Vec3 s(corner & 1 ? hi[0] : lo[0], corner & 2 ? hi[1] : lo[1],
                 corner & 4 ? hi[2] : lo[2]);
    result.vertices.push_back(c + axes * s);
  }
  result.margin = residual + err;
  return result;
}

}  // namespace

BoundingPolytope bounding_polytope(std::span<const Vec3> points, std::size_t max_vertices) {
  if (points.size() <= max_vertices) return {{points.begin(), points.end()}, 0};
  return box(points, principal_axes(points));
}

// Ritter's ball, then steps towards the farthest point while that helps.
//
// The radius is measured from the centre that is returned: p - c, its squares, their sum and the
// root lose less than 2^-50 of it, plus 2^-537 where squares underflow.
BoundingBall bounding_ball(std::span<const Vec3> points) {
  const auto farthest = [&](const Vec3& from) {
    std::size_t best = 0;
    double best_sq = -1;
    for (std::size_t i = 0; i < points.size(); ++i)
      if (const double sq = (points[i] - from).squaredNorm(); sq > best_sq) {
        best = i;
        best_sq = sq;
      }
    return std::pair(best, std::sqrt(best_sq));
  };
  const Vec3 a = points[farthest(points[0]).first], b = points[farthest(a).first];
  Vec3 centre = 0.5 * (a + b);
  auto [far, radius] = farthest(centre);
  Vec3 best = centre;
  double best_radius = radius;
  for (int i = 2; i < 20; ++i) {  // [Badoiu 2003]
    centre += (points[far] - centre) / i * 0.5;
    std::tie(far, radius) = farthest(centre);
    if (radius < best_radius) {
      best = centre;
      best_radius = radius;
    }
  }
  return {best, best_radius * (1 + 0x1p-49) + 0x1p-500};
}

}  // namespace graze
