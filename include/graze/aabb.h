#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "graze/vec3.h"

namespace graze {

// The closed axis-aligned box from the corner lo to the corner hi.
struct Aabb {
  Vec3 lo, hi;

  // Enlarges the box to contain another box.
  void include(const Aabb& other) {
    for (int k = 0; k < 3; ++k) {
      lo[k] = std::min(lo[k], other.lo[k]);
      hi[k] = std::max(hi[k], other.hi[k]);
    }
  }
};

// Returns whether two boxes have a common point. Boxes that only touch have one.
inline bool overlap(const Aabb& a, const Aabb& b) {
  for (int k = 0; k < 3; ++k)
    if (a.lo[k] > b.hi[k] || b.lo[k] > a.hi[k]) return false;
  return true;
}

// Returns the interval that a coordinate sweeps from `start` to `end`, widened on each side by half
// the separation (finite, >= 0), so that intervals within the separation of each other overlap. A
// NaN coordinate sweeps the whole axis, so it never rules out an overlap.
//
// The bounds are rounded outward. The nearest double to an exact bound may lie half a unit in the
// last place inside it; the next double outward does not. Half the separation is exact, except for
// an odd denormal, whose loss of half a denormal is covered by the same step outward.
inline std::array<double, 2> swept_interval(double start, double end, double separation) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  if (std::isnan(start) || std::isnan(end)) return {-inf, inf};
  const auto [lo, hi] = std::minmax({start, end});
  if (separation == 0) return {lo, hi};
  return {std::nextafter(lo - separation / 2, -inf), std::nextafter(hi + separation / 2, inf)};
}

// Returns the box of the swept intervals of a moving point.
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
