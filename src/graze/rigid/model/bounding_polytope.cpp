#include "graze/rigid/model/bounding_polytope.h"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "graze/core/numeric/strict_arithmetic.h"
#include "graze/rigid/distance/convex_distance.h"

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

// Computes the distances of points from a polytope; no coordinate exceeds 8. Each search starts
// from the result of the last one, as consecutive points are often neighbours.
class PointDistance {
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
  PointDistance distance;
  struct Candidate {
    double distance;
    std::size_t point;
    bool operator<(const Candidate& other) const {
      return distance != other.distance ? distance < other.distance : point > other.point;
    }
  };
  std::vector<Candidate> heap;
  for (std::size_t i = 0; i < points.size(); ++i) heap.push_back({distance(points[i], hull), i});
  std::make_heap(heap.begin(), heap.end());
  while (chosen.size() < count && heap.front().distance > 1e-9) {
    for (;;) {
      std::pop_heap(heap.begin(), heap.end());
      heap.back().distance = distance(points[heap.back().point], hull);
      const Candidate renewed = heap.back();
      std::push_heap(heap.begin(), heap.end());
      if (heap.front().point == renewed.point) break;
    }
    chosen.push_back(points[heap.front().point]);
    hull.add(chosen.back());
  }
  return chosen;
}

// The faces of the hull of a few points.
struct Facet {
  std::array<std::uint32_t, 3> corners;
  Vec3 normal;  // outwards, scaled so that the plane is normal.(x - middle) = 1
};

// Returns the triangles whose plane has all points on one side, up to rounding. If more than three
// points lie in a plane, the triangles of that plane overlap. Empty if `middle` is not inside.
std::vector<Facet> facets(std::span<const Vec3> points, const Vec3& middle) {
  std::vector<Facet> found;
  for (std::uint32_t i = 0; i < points.size(); ++i)
    for (std::uint32_t j = i + 1; j < points.size(); ++j)
      for (std::uint32_t k = j + 1; k < points.size(); ++k) {
        const Vec3 n = (points[j] - points[i]).cross(points[k] - points[i]);
        const double tol = 1e-12 * n.lpNorm<1>();
        bool above = false, below = false;
        for (std::size_t p = 0; p < points.size() && !(above && below); ++p) {
          const double height = n.dot(points[p] - points[i]);
          above = above || height > tol;
          below = below || height < -tol;
        }
        if (above == below) continue;  // not a face, or the triangle or the hull is flat
        const double height = n.dot(points[i] - middle);
        if (std::abs(height) > 1e-9 * n.norm()) found.push_back({{i, j, k}, n / height});
      }
  return found;
}

// The largest factor by which a point must be shrunk towards the middle to lie behind all facets,
// and for each point the facet that the ray from the middle through it meets.
struct Gauge {
  double factor = 0;
  std::vector<std::uint32_t> facet;
};
Gauge gauge(std::span<const Vec3> points, std::span<const Facet> facets, const Vec3& middle) {
  Gauge result;
  result.facet.reserve(points.size());
  for (const Vec3& p : points) {
    double best = -1;
    std::uint32_t at = 0;
    for (std::uint32_t f = 0; f < facets.size(); ++f)
      if (const double height = facets[f].normal.dot(p - middle); height > best) {
        best = height;
        at = f;
      }
    result.factor = std::max(result.factor, best);
    result.facet.push_back(at);
  }
  return result;
}

// Returns `count` directions, spread evenly over half of the sphere along a spiral.
std::vector<Vec3> half_sphere(int count) {
  std::vector<Vec3> directions;
  for (int i = 0; i < count; ++i) {
    const double z = (i + 0.5) / count, angle = 2.399963229728653 * i;  // the golden angle
    const double r = std::sqrt(1 - z * z);
    directions.emplace_back(r * std::cos(angle), r * std::sin(angle), z);
  }
  return directions;
}

// Returns points of the hull: all points if they are few, otherwise those that are extreme in one
// of a fixed set of directions or its opposite.
std::vector<Vec3> outer_points(std::span<const Vec3> points) {
  static const std::vector<Vec3> directions = half_sphere(64);
  if (points.size() <= 2 * directions.size()) return {points.begin(), points.end()};
  std::vector<std::size_t> chosen;
  for (const Vec3& n : directions) {
    std::size_t lowest = 0, highest = 0;
    double lo = n.dot(points[0]), hi = lo;
    for (std::size_t i = 1; i < points.size(); ++i) {
      const double height = n.dot(points[i]);
      if (height < lo) {
        lo = height;
        lowest = i;
      }
      if (height > hi) {
        hi = height;
        highest = i;
      }
    }
    chosen.push_back(lowest);
    chosen.push_back(highest);
  }
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  std::vector<Vec3> result;
  for (const std::size_t i : chosen) result.push_back(points[i]);
  return result;
}

// Returns an upper bound on the distance of all points from the hull of the vertices v. No
// coordinate exceeds 8 in size.
//
// With m the mean of the vertices and f the facet that gauge() gives for a point p, p is about
// q = m + sum_k w_k (v_k - m) over the corners k of f. For weights w_k >= 0 with a sum of at most
// 1, q lies in the hull, because m does. So |p - q| bounds the distance, whatever f and w are, and
// it is measured. m as computed differs from the mean by less than 17 * 8 * 2^-53 in each
// coordinate, and q from its value in real arithmetic by less than 10 * 24 * 2^-53; the three
// coordinates of p - q lose as much again. 2^-43 covers all. Where facets overlap, f may be the
// wrong one: then the distance is searched for.
double distance_hi(std::span<const Vec3> points, std::span<const Vec3> vertices,
                   std::span<const Facet> facets, std::span<const std::uint32_t> facet) {
  constexpr double err = 0x1p-43;
  const Vec3 m = mean(vertices);
  std::vector<Eigen::Matrix3d> edges, weights;
  for (const Facet& f : facets) {
    Eigen::Matrix3d edge;
    for (int k = 0; k < 3; ++k) edge.col(k) = vertices[f.corners[std::size_t(k)]] - m;
    edges.push_back(edge);
    weights.push_back(edge.inverse());
  }
  double largest = 0;
  const Arrays hull(vertices);
  PointDistance search;
  for (std::size_t i = 0; i < points.size(); ++i) {
    Vec3 w = (weights[facet[i]] * (points[i] - m)).cwiseMax(0);
    if (const double sum = w.sum(); !(sum <= 1 - 0x1p-50)) w *= (1 - 0x1p-48) / sum;
    double distance = (points[i] - (m + edges[facet[i]] * w)).lpNorm<1>();
    if (!(distance < 0x1p-40)) distance = search(points[i], hull);
    largest = std::max(largest, distance);
  }
  return largest + err;
}

}  // namespace

// Chooses points of the hull, at most max_vertices, and moves them away from their middle until all
// points are inside. This is done in the coordinates of the principal box, scaled to [-1, 1], so
// that the polytopes of thin sets stay thin. Only the last step, the margin, must be certain.
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
  std::vector<Vec3> chosen = representatives(outer_points(unit), max_vertices);
  const Vec3 middle = mean(chosen);
  const std::vector<Facet> faces = facets(chosen, middle);
  if (faces.empty()) return around;
  const Gauge found = gauge(unit, faces, middle);
  if (!(found.factor < 2)) return around;
  const double factor = std::max(found.factor, 1.0) * (1 + 1e-12);
  BoundingPolytope tight;
  for (const Vec3& v : chosen)
    tight.vertices.push_back(centre + axes * (middle + factor * (v - middle)).cwiseProduct(half));
  // The margin is measured in the final coordinates, so it covers all errors made before.
  tight.margin = distance_hi(points, tight.vertices, faces, found.facet);
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
