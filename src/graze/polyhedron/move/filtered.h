#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "graze/polyhedron/move/pluecker.h"

namespace graze::polyhedron {

// The answer of interval arithmetic about two features along a path.
struct Filtered {
  enum Verdict : std::uint8_t {
    apart,     // they do not touch in [0, 1]
    touching,  // they touch first at a time in `time`
    unclear    // exact_touch.h decides
  } verdict;
  Interval time;
};

using IntervalPoint = Triple<Interval>;

// A facet in a frame (Kinematics).
struct IntervalFacet {
  std::span<const IntervalPoint> corners;
  const PlaneFrame<Interval>& plane;
};

// Returns the time at which a value that changes linearly from `start` to `end`, of clearly
// opposite signs, is 0: start / (start - end). A larger |start| and a smaller |end| give a later
// time. The sum and the division are each off by at most 2^-53 of the result; `widened` has room
// for three such errors.
inline Interval zero_of(const Interval& start, const Interval& end) {
  const auto [s_lo, s_hi] = std::minmax({std::abs(start.lo), std::abs(start.hi)});
  const auto [e_lo, e_hi] = std::minmax({std::abs(end.lo), std::abs(end.hi)});
  const Interval time = exact::widened(s_lo / (s_lo + e_hi), s_hi / (s_hi + e_lo));
  if (!(time.lo <= time.hi)) return {0, 1};  // overflow
  return {std::max(time.lo, 0.), std::min(time.hi, 1.)};
}

}  // namespace graze::polyhedron
