#include "graze/rigid/shapes/depth.h"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "graze/core/numeric/strict_arithmetic.h"
#include "graze/options.h"
#include "graze/rigid/shapes/closest_parts.h"
#include "graze/rigid/shapes/shape_distance.h"

namespace graze::rigid {
namespace {

// A direction n of length 1 and the point p of the difference D = b - a that is extreme along n.
struct Probe {
  Vec3 n, p;
};

// The directions between three others, and a lower bound on the depth along all of them.
struct Cell {
  double lo;
  std::array<std::uint32_t, 3> corners;  // probes

  bool operator<(const Cell& other) const {  // a heap with the least bound on top
    return std::tie(lo, corners) > std::tie(other.lo, other.corners);
  }
};

// The depth of two overlapping convex sets a and b is the least h(n) over all n of length 1, where
// h(n) = max n.p over the points p of D = b - a: moved by h(n) n, a has no inner point in common
// with b. Every n gives an upper bound. The lower bound divides the sphere of directions.
//
// Let a cell be the cone of n_1, n_2, n_3, and p a point of D. An n of length 1 in the cone is a
// sum of l_i n_i with l_i >= 0, and 1 = |n| <= sum l_i |n_i|, so the sum of the l_i is at least 1 -
// 2^-50. If all n_i.p >= 0, then h(n) >= n.p >= (1 - 2^-50) min n_i.p. This holds for every p; a
// convex combination of the three extreme points that has the same n_i.p for all i is best if
// its weights are positive.
//
// Rounding: extreme points and dot products err by less than `error`. The direction between two
// others is rounded, which leaves slivers between cells; a direction in them is within 4u of a
// cell, and h changes by at most |n - n'| times the largest |p|, which `error` covers too: it is
// more than 2^-46 of the coordinates.
class DepthSearch {
 public:
  DepthSearch(const PlacedPart& a, const PlacedPart& b, double error)
      : a_(a), b_(b), error_(2 * error) {}

  struct Depth {
    double lo, hi;
    Vec3 n;  // the direction in which a leaves b
    std::uint32_t checks;
  };

  // `start`: a direction to begin with, or 0. `max_checks`: 0 is no limit.
  Depth run(const Vec3& start, double tol, std::uint32_t max_checks) {
    if (!start.isZero(0)) probe(start);
    std::array<std::uint32_t, 6> axes;
    for (std::size_t k = 0; k < 6; ++k)
      axes[k] = probe(k % 2 == 0 ? Vec3::Unit(Eigen::Index(k / 2))
                                 : Vec3(-Vec3::Unit(Eigen::Index(k / 2))));
    for (std::size_t x = 0; x < 2; ++x)
      for (std::size_t y = 2; y < 4; ++y)
        for (std::size_t z = 4; z < 6; ++z) push({axes[x], axes[y], axes[z]});
    while (best_ + error_ - cells_.front().lo > tol && !is_spent(probes_.size(), max_checks)) {
      std::pop_heap(cells_.begin(), cells_.end());
      const Cell cell = cells_.back();
      cells_.pop_back();
      if (!divide(cell)) {
        cells_.push_back(cell);
        break;
      }
    }
    return {std::max(cells_.front().lo, 0.0), best_ + error_, best_n_,
            static_cast<std::uint32_t>(probes_.size())};
  }

 private:
  std::uint32_t probe(const Vec3& n) {
    const Vec3 p = b_.extreme(n) - a_.extreme(-n);
    probes_.push_back({n, p});
    if (const double h = n.dot(p); h < best_) best_ = h, best_n_ = n;
    return static_cast<std::uint32_t>(probes_.size() - 1);
  }

  void push(const std::array<std::uint32_t, 3>& corners) {
    cells_.push_back({lower_bound(corners), corners});
    std::push_heap(cells_.begin(), cells_.end());
  }

  double lower_bound(const std::array<std::uint32_t, 3>& corners) const {
    Eigen::Matrix3d n, p;  // rows and columns
    for (Eigen::Index i = 0; i < 3; ++i) {
      n.row(i) = probes_[corners[std::size_t(i)]].n;
      p.col(i) = probes_[corners[std::size_t(i)]].p;
    }
    const Eigen::Matrix3d products = n * p;
    double best = products.colwise().minCoeff().maxCoeff();
    const Vec3 weights = products.fullPivLu().solve(Vec3::Ones());
    if (const double sum = weights.sum(); weights.minCoeff() >= 0 && sum > 0 && std::isfinite(sum))
      best = std::max(best, (n * (p * (weights / sum))).minCoeff());
    const double lo = (best - error_) * (1 - 0x1p-48);
    return std::isfinite(lo) ? lo : -std::numeric_limits<double>::infinity();
  }

  // Divides a cell across its longest edge. Returns false if it is too small, or if no number is
  // left for a further probe.
  bool divide(const Cell& cell) {
    std::size_t longest = 0;
    double length = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const double d = (probes_[cell.corners[i]].n - probes_[cell.corners[(i + 1) % 3]].n).norm();
      if (d > length) length = d, longest = i;
    }
    if (!(length > 0x1p-40) || probes_.size() == std::numeric_limits<std::uint32_t>::max())
      return false;
    const std::uint32_t i = cell.corners[longest], j = cell.corners[(longest + 1) % 3],
                        k = cell.corners[(longest + 2) % 3];
    const std::uint32_t middle = probe((probes_[i].n + probes_[j].n).normalized());
    push({i, middle, k});
    push({middle, j, k});
    return true;
  }

  const PlacedPart &a_, &b_;
  double error_;
  std::vector<Probe> probes_;
  std::vector<Cell> cells_;
  double best_ = std::numeric_limits<double>::infinity();
  Vec3 best_n_ = Vec3::Zero();
};

}  // namespace

SignedDistance signed_core_distance(const Model& a, const Placement& at_a, const Model& b,
                                    const Placement& at_b, double tol, std::uint32_t max_checks) {
  SignedDistance result;
  if (a.half_space || b.half_space) {
    // The gap along the normal of the half space, which is the only direction out of it.
    const BodyDistance gap = gap_to_half_space(a, at_a, b, at_b);
    result.lo = gap.lo;
    result.hi = gap.hi;
    result.normal = gap.normal;
    result.checks = 1;
    return result;
  }
  const double error = placing_error(*a.parts, at_a) + placing_error(*b.parts, at_b);
  const Part root_a = a.parts->part(0), root_b = b.parts->part(0);
  const PlacedPart x{*a.parts, 0, 0, at_a}, y{*b.parts, 0, 0, at_b};
  const Vec3 between = at_a * root_a.centre - at_b * root_b.centre;
  const double distance = between.norm();
  ClosestGoal goal;
  goal.size = std::max({root_a.radius + root_b.radius, distance, 0x1p-500});
  goal.tol = 0x1p-40;
  goal.max_steps = 1000;
  const Vec3 hint = distance > 0 ? Vec3(between / distance) : Vec3(Vec3::UnitX());
  const ClosestParts closest = closest_parts(x, y, hint, goal);
  result.lo = closest.lo - error;
  result.hi = closest.hi * (1 + 0x1p-49) + error;
  result.normal = closest.n;
  result.checks = closest.steps;
  if (result.lo > 0 || is_spent(std::uint64_t{closest.steps} + 8, max_checks)) return result;
  const std::uint32_t left = max_checks == 0 ? 0 : max_checks - closest.steps;
  const auto depth = DepthSearch(x, y, error).run(closest.n, tol, left);
  result.checks += depth.checks;
  if (-depth.hi > result.lo) {
    result.lo = -depth.hi;
    result.normal = depth.n;
  }
  if (depth.lo > 0) result.hi = -depth.lo;
  return result;
}

}  // namespace graze::rigid
