#include "graze/rigid/model/bounding_polytope.h"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "graze/core/numeric/strict_arithmetic.h"
#include "graze/rigid/distance/convex_distance.h"
#include "graze/rigid/model/convex_hull.h"

namespace graze::rigid {
namespace {

Vec3 mean(std::span<const Vec3> points) {
  Vec3 sum = Vec3::Zero();
  for (const Vec3& p : points) sum += p;
  return sum / static_cast<double>(points.size());
}

// Returns the principal axes of the points as columns. box() is correct for any matrix; good axes
// make it tight.
Eigen::Matrix3d principal_axes(std::span<const Vec3> points) {
  const Vec3 centre = mean(points);
  Eigen::Matrix3d spread = Eigen::Matrix3d::Zero();
  for (const Vec3& p : points) spread += (p - centre) * (p - centre).transpose();
  Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver;
  solver.computeDirect(spread);
  const Eigen::Matrix3d axes = solver.eigenvectors();
  return axes.allFinite() ? axes : Eigen::Matrix3d::Identity();
}

// Returns a box along the columns u of `axes`.
//
// With y = u^T (p - c) as computed and q = c + u y in real arithmetic, q lies in the box
// { c + u s : lo <= s <= hi }, whatever u is. The margin must cover |p - q| and the rounding of the
// corners. Both are sums c_k + u_k0 s_0 + u_k1 s_1 + u_k2 s_2 with |c| <= 2 and, as u is about
// orthonormal, terms below 8: three products and three sums have an error below 7 * 26 * 2^-53 in
// all, underflow included. |p - q| is measured, with no larger error. So for the measurement and
// the corners, three coordinates each, 2 sqrt(3) * 7 * 26 * 2^-53 < 2^-43.3 is covered by 2^-43.
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

// The storage of a PolytopeView.
class Arrays {
 public:
  explicit Arrays(std::span<const Vec3> points) {
    for (const Vec3& p : points) add(p);
  }
  void add(const Vec3& p) {
    for (std::size_t i = size_; i < capacity; ++i)
      for (std::size_t k = 0; k < 3; ++k) x_[k * capacity + i] = p[static_cast<int>(k)];
    ++size_;
  }
  PolytopeView view() const { return {x_.data(), capacity, size_, 0}; }

 private:
  static constexpr std::uint32_t capacity = HullTree::max_vertices;
  std::array<double, 3 * capacity> x_;
  std::uint32_t size_ = 0;
};

// Computes upper bounds on the distances of points from a polytope; no coordinate exceeds 8. Each
// search starts from the result of the last one, as consecutive points are often neighbours.
class DistanceHi {
 public:
  double operator()(const Vec3& p, const Arrays& polytope) {
    static const Placement here{Eigen::Matrix3d::Identity(), Vec3::Zero()};
    static const RelativePlacement placement = relative_placement(here, 8, here, 8);
    const double x[12] = {p[0], p[0], p[0], p[0], p[1], p[1], p[1], p[1], p[2], p[2], p[2], p[2]};
    const ConvexDistance d =
        convex_distance({x, 4, 1, 0}, polytope.view(), placement, last_, 16, 1e-6);
    last_ = d.witness;
    return d.hi;
  }

 private:
  Witness last_;
};

// Chooses up to `count` points whose hull is close to that of all points. Starts with the extremes
// along the axes, then repeatedly adds the point farthest from the hull so far. Distances only
// shrink as the hull grows, so an old distance is an upper bound and only the largest is
// recomputed.
std::vector<Vec3> representatives(std::span<const Vec3> points, std::size_t count) {
  std::vector<Vec3> chosen;
  for (int k = 0; k < 3; ++k) {
    const auto [lo, hi] = std::minmax_element(
        points.begin(), points.end(), [&](const Vec3& p, const Vec3& q) { return p[k] < q[k]; });
    for (const Vec3& p : {*lo, *hi})
      if (std::find(chosen.begin(), chosen.end(), p) == chosen.end()) chosen.push_back(p);
  }
  Arrays hull(chosen);
  DistanceHi distance_hi;
  struct Candidate {
    double distance;
    std::size_t point;
    bool operator<(const Candidate& other) const {
      return distance != other.distance ? distance < other.distance : point > other.point;
    }
  };
  std::vector<Candidate> heap;
  for (std::size_t i = 0; i < points.size(); ++i) heap.push_back({distance_hi(points[i], hull), i});
  std::make_heap(heap.begin(), heap.end());
  while (chosen.size() < count && heap.front().distance > 1e-9) {
    for (;;) {
      std::pop_heap(heap.begin(), heap.end());
      heap.back().distance = distance_hi(points[heap.back().point], hull);
      const Candidate renewed = heap.back();
      std::push_heap(heap.begin(), heap.end());
      if (heap.front().point == renewed.point) break;
    }
    chosen.push_back(points[heap.front().point]);
    hull.add(chosen.back());
  }
  return chosen;
}

// Returns the vertices of a polytope around the points, at most max_vertices: some points of their
// hull, moved away from the middle until all others are inside. Empty if the points lie in a plane
// or Qhull fails. Coordinates are those of the principal box, scaled to [-1, 1], so that the
// polytopes of thin sets stay thin.
std::vector<Vec3> blown_up(std::span<const Vec3> points, std::size_t max_vertices) {
  std::vector<Vec3> outer;
  std::vector<bool> used(points.size());
  for (const Face& face : convex_hull(points))
    for (const std::uint32_t v : face)
      if (!used[v]) {
        used[v] = true;
        outer.push_back(points[v]);
      }
  if (outer.empty()) return {};
  std::vector<Vec3> chosen = representatives(outer, max_vertices);
  const std::vector<Face> faces = convex_hull(chosen);
  if (faces.empty()) return {};
  const Vec3 middle = mean(chosen);
  double factor = 1;
  for (const Face& f : faces) {
    const Vec3& a = chosen[f[0]];
    const Vec3 n = (chosen[f[1]] - a).cross(chosen[f[2]] - a);
    const double height = n.dot(a - middle);
    if (!(height > 1e-9 * n.norm())) continue;
    for (const Vec3& p : outer) factor = std::max(factor, n.dot(p - middle) / height);
  }
  if (!(factor < 2)) return {};
  factor *= 1 + 1e-12;
  for (Vec3& p : chosen) p = middle + factor * (p - middle);
  return chosen;
}

}  // namespace

BoundingPolytope bounding_polytope(std::span<const Vec3> points, std::size_t max_vertices) {
  if (points.size() <= max_vertices) return {{points.begin(), points.end()}, 0};
  const Eigen::Matrix3d axes = principal_axes(points);
  const BoundingPolytope around = box(points, axes);
  const Vec3 centre = 0.5 * (around.vertices[0] + around.vertices[7]);
  Vec3 half = axes.transpose() * (around.vertices[7] - centre);
  for (double& h : half) h = std::max(h, 1e-12);
  std::vector<Vec3> unit;
  unit.reserve(points.size());
  for (const Vec3& p : points)
    unit.push_back((axes.transpose() * (p - centre)).cwiseQuotient(half));
  BoundingPolytope tight{blown_up(unit, max_vertices), 0};
  if (tight.vertices.empty()) return around;
  for (Vec3& v : tight.vertices) v = centre + axes * v.cwiseProduct(half);
  // The margin is measured in the final coordinates, so it covers all errors made before.
  const Arrays hull(tight.vertices);
  DistanceHi distance_hi;
  for (const Vec3& p : points) tight.margin = std::max(tight.margin, distance_hi(p, hull));
  return tight.margin < 1e-3 * half.minCoeff() ? tight : around;
}

// Computes Ritter's ball, then moves its centre towards the farthest point as long as that helps
// [Badoiu 2003].
//
// The radius is measured from the returned centre: p - c, its squares, their sum and the root lose
// less than 2^-50 of the radius, plus 2^-537 if squares underflow.
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
  for (int i = 2; i < 20; ++i) {
    centre += (points[far] - centre) / i * 0.5;
    std::tie(far, radius) = farthest(centre);
    if (radius < best_radius) {
      best = centre;
      best_radius = radius;
    }
  }
  return {best, best_radius * (1 + 0x1p-49) + 0x1p-500};
}

}  // namespace graze::rigid
