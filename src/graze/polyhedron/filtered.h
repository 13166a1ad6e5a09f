#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "graze/polyhedron/pluecker.h"

namespace graze::polyhedron {

// What intervals can tell of two features along a path.
struct Filtered {
  enum Verdict : std::uint8_t {
    apart,     // they do not touch in [0, 1]
    touching,  // they touch first at a time in `time`
    unclear    // ask exact_touch.h
  } verdict;
  Interval time;
};

using IntervalPoint = Triple<Interval>;

// A facet as it lies in a frame.
struct IntervalFacet {
  std::span<const IntervalPoint> corners;
  const PlaneFrame<Interval>& plane;
};

// Where a value goes from `start` to `end`, of clearly opposite signs, on a straight line: the time
// at which it is 0, start / (start - end). Of the values the larger start and the smaller end, by
// size, give the later time. A sum and a division are each off by at most 2^-53 of the result, and
// `widened` has room for three such errors.
inline Interval zero_of(const Interval& start, const Interval& end) {
  const auto [s_lo, s_hi] = std::minmax({std::abs(start.lo), std::abs(start.hi)});
  const auto [e_lo, e_hi] = std::minmax({std::abs(end.lo), std::abs(end.hi)});
  const Interval time = exact::widened(s_lo / (s_lo + e_hi), s_hi / (s_hi + e_lo));
  if (!(time.lo <= time.hi)) return {0, 1};  // overflow
  return {std::max(time.lo, 0.), std::min(time.hi, 1.)};
}

}  // namespace graze::polyhedron
