#include "graze/broad/moving/time_slabs.h"

#include <algorithm>
#include <cmath>

#include "graze/broad/moving/search_scale.h"
#include "graze/broad/moving/slab_lengths.h"
#include "graze/core/numeric/float_environment.h"

namespace graze::broad {
namespace {

// Limits the number of slabs: each one costs the construction of a tree.
constexpr double most_motion = 16;

// Claim: fl(fl(fl(1-t) s) + fl(t e)), clamped to [s, e], is within 8 u m + 2^-1072 of the exact
// value (1-t) s + t e, where m = max(|s|, |e|) and u = 2^-53, also after the bound itself is
// rounded. The computed sum is off by at most 2 u (1-t) |s| + u t |e| + u m <= 3 u m to first
// order, and by 2^-1074 if both products underflow. Moving the bound outward rounds by another u m.
// 8 u and 2^-1072 cover this and the terms of second order. The exact value lies between s and e,
// so clamping a sum beyond them, even an infinite one, never increases its error.
constexpr double path_err = 0x1p-50, path_floor = 0x1p-1072;

}  // namespace

double edge_motion(const std::array<Vec3, 2>& start, const std::array<Vec3, 2>& end) {
  const auto extent = [](const Vec3& a, const Vec3& b) {
    return (a / 2 - b / 2).lpNorm<Eigen::Infinity>();  // halves cannot overflow
  };
  const double motion = std::max(extent(start[0], end[0]), extent(start[1], end[1]));
  return motion > 0 ? std::min(motion / extent(start[0], start[1]), most_motion) : 0;
}

double relative_motion(const MovingMesh& moving) {
  const auto& edges = moving.mesh.edges;
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t e = 0; e < edges.size(); e += edge_sample_stride(edges.size()), ++count) {
    const auto [a, b] = edges[e];
    sum += edge_motion({moving.start[a], moving.start[b]}, {moving.end[a], moving.end[b]});
  }
  return count > 0 ? sum / static_cast<double>(count) : 0;
}

std::vector<Slab> time_slabs(const MovingMesh& moving, double t_max, double first) {
  const FloatEnvironment environment;
  return slabs_of_motion(relative_motion(moving), t_max, first);
}

std::array<double, 2> bounds_at(double start, double end, double t) {
  if (t == 0) return {start, start};
  if (t == 1) return {end, end};
  const auto [lo, hi] = std::minmax(start, end);
  const double x = std::clamp((1 - t) * start + t * end, lo, hi);
  const double err = path_err * std::max(std::abs(start), std::abs(end)) + path_floor;
  return {std::max(lo, x - err), std::min(hi, x + err)};
}

std::array<double, 2> SlabBoxes::interval(std::uint32_t vertex, int axis) const {
  if (curves_) {
    const auto [lo, hi] = CurvePoints(moving_, *curves_, vertex, axis).hull();
    return swept_interval(lo, hi, separation_);
  }
  const double start = moving_.start[vertex][axis], end = moving_.end[vertex][axis];
  if (slab_.begin == 0 && slab_.end == 1) return swept_interval(start, end, separation_);
  const auto at_begin = bounds_at(start, end, slab_.begin);
  const auto at_end = bounds_at(start, end, slab_.end);
  return swept_interval(std::min(at_begin[0], at_end[0]), std::max(at_begin[1], at_end[1]),
                        separation_);
}

Aabb SlabBoxes::operator()(std::uint32_t vertex) const {
  Aabb box;
  for (int k = 0; k < 3; ++k) {
    const auto [lo, hi] = interval(vertex, k);
    box.lo[k] = lo;
    box.hi[k] = hi;
  }
  return box;
}

}  // namespace graze::broad
