#pragma once

#include <array>

#include "graze/core/numeric/strict_arithmetic.h"

namespace graze::numeric {

// DoubleDouble<double> and its operations. No fused operation is needed, so the bits are the same
// everywhere.
#define GRAZE_LANE_INLINE inline
#include "graze/core/numeric/double_double-inl.h"
#undef GRAZE_LANE_INLINE

using PairNumber = DoubleDouble<double>;
using PairVector = std::array<PairNumber, 3>;

inline PairVector operator-(const PairVector& a, const PairVector& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
inline PairNumber dot(const PairVector& a, const PairVector& b) {
  return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}
inline PairVector cross(const PairVector& a, const PairVector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

}  // namespace graze::numeric
