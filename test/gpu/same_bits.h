#pragma once

#include <bit>
#include <cstdint>

#include "graze/step.h"

namespace graze::test {

inline bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (a != a && b != b);
}

// Returns whether all fields are equal, NaN to NaN and the zeros by their sign.
inline bool same_bits(const Impact& a, const Impact& b) {
  bool same = a.verdict == b.verdict && a.kind == b.kind && a.checks == b.checks &&
              same_bits(a.reached_tol, b.reached_tol) && same_bits(a.toi, b.toi) &&
              same_bits(a.toi_hi, b.toi_hi) && same_bits(a.u, b.u) && same_bits(a.v, b.v);
  for (int k = 0; k < 3; ++k) same = same && same_bits(a.normal[k], b.normal[k]);
  return same;
}
inline bool same_bits(const StepImpact& a, const StepImpact& b) {
  return a.kind == b.kind && a.pair == b.pair && same_bits(a.impact, b.impact);
}

}  // namespace graze::test
