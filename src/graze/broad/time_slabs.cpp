#include "graze/broad/time_slabs.h"

#include <algorithm>
#include <cmath>

#include "graze/core/float_environment.h"

namespace graze {
namespace {

// More would be more slabs than pay.
constexpr double most_motion = 16;

// How many times its own size an edge moves in the step; 0 where it does not move.
double motion_of(const MovingMesh& moving, const Edge& edge) {
  const auto extent = [](const Vec3& a, const Vec3& b) {
    return (a / 2 - b / 2).lpNorm<Eigen::Infinity>();  // halves cannot overflow
  };
  const double size = extent(moving.start[edge[0]], moving.start[edge[1]]);
  const double motion = std::max(extent(moving.start[edge[0]], moving.end[edge[0]]),
                                 extent(moving.start[edge[1]], moving.end[edge[1]]));
  return motion > 0 ? motion / size : 0;
}

// fl(fl(fl(1-t) s) + fl(t e)) is off from the exact (1-t) s + t e, with m = max(|s|, |e|) and
// u = 2^-53, by at most 2 u (1-t) |s| + u t |e| + u m <= 3 u m to first order, and by 2^-1074 where
// both products underflow; moving the bound outward rounds by another u m. 8 u and 2^-1072 cover
// that with the terms of second order. The exact value is between s and e, so that a sum
// beyond them, be it infinite, comes closer by being moved there.
constexpr double path_err = 0x1p-50, path_floor = 0x1p-1072;

}  // namespace

double relative_motion(const MovingMesh& moving) {
  const auto& edges = moving.mesh.edges;
  const std::size_t stride = edges.size() / 4096 + 1;
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t e = 0; e < edges.size(); e += stride, ++count)
    sum += std::min(motion_of(moving, edges[e]), most_motion);
  return count > 0 ? sum / static_cast<double>(count) : 0;
}

std::vector<Slab> time_slabs(const MovingMesh& moving, double t_max, double first) {
  const FloatEnvironment environment;
  const double motion = relative_motion(moving);
  if (motion * t_max <= 1) return {{0, t_max}};
  std::vector<Slab> slabs;
  double begin = 0;
  for (double length = first; begin < t_max; length = std::max(first, std::min(4 * length, 1.0))) {
    double end = begin + length / motion;
    // What is left is not worth a slab of its own.
    if (!(end + length / motion / 2 < t_max)) end = t_max;
    slabs.push_back({begin, end});
    begin = end;
  }
  return slabs;
}

std::array<double, 2> bounds_at(double start, double end, double t) {
  if (t == 0) return {start, start};
  if (t == 1) return {end, end};
  const auto [lo, hi] = std::minmax(start, end);
  const double x = std::clamp((1 - t) * start + t * end, lo, hi);
  const double err = path_err * std::max(std::abs(start), std::abs(end)) + path_floor;
  return {std::max(lo, x - err), std::min(hi, x + err)};
}

SlabBoxes::SlabBoxes(const MovingMesh& moving, const Slab& slab)
    : mesh_(moving.mesh), lo_(moving.start.size()), hi_(moving.start.size()) {
  const FloatEnvironment environment;
  for (std::size_t v = 0; v < lo_.size(); ++v)
    for (int k = 0; k < 3; ++k) {
      const auto begin = bounds_at(moving.start[v][k], moving.end[v][k], slab.begin);
      const auto end = bounds_at(moving.start[v][k], moving.end[v][k], slab.end);
      lo_[v][k] = std::min(begin[0], end[0]);
      hi_[v][k] = std::max(begin[1], end[1]);
    }
}

}  // namespace graze
