#pragma once

#include <cmath>

#include "graze/core/numeric/strict_arithmetic.h"

namespace graze::numeric {

// An interval in which a function changes its sign, and a first estimate of the root.
struct SignChange {
  double lo, hi;
  bool rising;   // from negative at lo to positive at hi
  double start;  // in [lo, hi]
};

// Returns an unproven estimate of the root in [lo, hi] of a function that changes its sign there.
// Each iteration goes from t to next(t, value(t)), or to the middle of the bracket if that lies
// outside. The search ends when a step is at most tol(t), or after `limit` iterations.
template <class Value, class Next, class Tolerance>
double bracketed_root(const SignChange& change, int limit, Value&& value, Next&& next,
                      Tolerance&& tol) {
  double lo = change.lo, hi = change.hi, t = change.start;
  for (int i = 0; i < limit; ++i) {
    const double f = value(t);
    if (f == 0) break;
    ((f > 0) == change.rising ? hi : lo) = t;
    double to = next(t, f);
    if (!(to > lo && to < hi)) to = lo + (hi - lo) / 2;
    if (std::abs(to - t) <= tol(t)) return to;
    t = to;
  }
  return t;
}

}  // namespace graze::numeric
