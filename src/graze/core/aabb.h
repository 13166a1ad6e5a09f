#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "graze/core/vec3.h"

namespace graze {

// A closed box along the axes.
struct Aabb {
  Vec3 lo, hi;

  void include(const Aabb& other) {
    for (int k = 0; k < 3; ++k) {
      lo[k] = std::min(lo[k], other.lo[k]);
      hi[k] = std::max(hi[k], other.hi[k]);
    }
  }
};

// Touching counts.
inline bool overlap(const Aabb& a, const Aabb& b) {
  for (int k = 0; k < 3; ++k)
    if (a.lo[k] > b.hi[k] || b.lo[k] > a.hi[k]) return false;
  return true;
}

// What a coordinate sweeps from `start` to `end`, widened on each side by half the separation, so
// that intervals within the separation of each other overlap. It is rounded outward: the nearest
// double may lie up to half a step inside of the exact bound, the next one does not; half of a
// separation is exact but for an odd denormal, whose loss of half a denormal the same step covers.
// NaN sweeps the whole axis: nobody is told of no overlap.
inline std::array<double, 2> swept_interval(double start, double end, double separation) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  if (std::isnan(start) || std::isnan(end)) return {-inf, inf};
  const auto [lo, hi] = std::minmax({start, end});
  if (separation == 0) return {lo, hi};
  return {std::nextafter(lo - separation / 2, -inf), std::nextafter(hi + separation / 2, inf)};
}

inline Aabb swept_box(const Vec3& start, const Vec3& end, double separation = 0) {
  Aabb box;
  for (int k = 0; k < 3; ++k) {
    const auto [lo, hi] = swept_interval(start[k], end[k], separation);
    box.lo[k] = lo;
    box.hi[k] = hi;
  }
  return box;
}

}  // namespace graze
