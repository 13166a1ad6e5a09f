#pragma once

#include <cmath>

#include "graze/core/numeric/double_double.h"
#include "graze/core/numeric/unit_roundoff.h"

namespace graze::numeric {

inline double abs_of(double x) {
  return std::abs(x);
}

// RootCell<double> and newton_step for doubles.
#define GRAZE_LANE_INLINE inline
#include "graze/core/numeric/newton_step-inl.h"
#undef GRAZE_LANE_INLINE

}  // namespace graze::numeric
