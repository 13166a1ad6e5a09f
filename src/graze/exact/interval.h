#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "graze/core/numeric/strict_arithmetic.h"

namespace graze::exact {

// A closed interval of real numbers. The result of an operation contains every result of the
// operation on numbers of the operands, in round to nearest with gradual underflow
// (core/numeric/float_environment.h). A bound that overflowed is infinite or NaN; both mean that
// there is no bound. So test the condition that must be proven (`lo > 0`), not !(lo <= 0).
struct Interval {
  double lo = 0, hi = 0;

  constexpr Interval() = default;
  constexpr Interval(double x) : lo(x), hi(x) {}  // exactly this number, which must be finite
  constexpr Interval(double low, double high) : lo(low), hi(high) {}

  double width() const { return hi - lo; }
  bool may_be_zero() const { return !(lo > 0 || hi < 0); }
  // Returns the largest absolute value; infinity if there is no bound.
  double magnitude() const {
    return std::isfinite(hi - lo) ? std::max(-lo, hi) : std::numeric_limits<double>::infinity();
  }
};

// Widens [lo, hi], computed by one rounded operation each, so that it contains the exact results.
// A computed sum or product r has an error of at most u|r| + 2^-1075 with u = 2^-53: half a unit of
// the last place of r, or of the smallest denormal. So r -+ w with any w >= u|r| + 2^-1075 is a
// bound; but w and the bound are rounded too. With w = 4u|r| + 2^-1073, the product with a power of
// two is off by 2^-1075 at most, the sum by u w, the bound by u(|r| + w). The remainder of w,
//   w - u w - 2^-1075 - u(|r| + w) >= 2u|r| + 2^-1074,
// suffices. A lower bound that overflowed to +inf, or an upper one to -inf, becomes NaN.
inline Interval widened(double lo, double hi) {
  constexpr double relative = 0x1p-51, absolute = 0x1p-1073;
  return {lo - (relative * std::abs(lo) + absolute), hi + (relative * std::abs(hi) + absolute)};
}

inline Interval operator-(const Interval& x) {
  return {-x.hi, -x.lo};
}
inline Interval operator+(const Interval& x, const Interval& y) {
  return widened(x.lo + y.lo, x.hi + y.hi);
}
inline Interval operator-(const Interval& x, const Interval& y) {
  return widened(x.lo - y.hi, x.hi - y.lo);
}
inline Interval operator*(const Interval& x, const Interval& y) {
  const double p = x.lo * y.lo, q = x.lo * y.hi, r = x.hi * y.lo, s = x.hi * y.hi;
  const double sum = (p + q) + (r + s);
  if (std::isnan(sum)) return {sum, sum};  // min and max would discard a NaN
  return widened(std::min(std::min(p, q), std::min(r, s)),
                 std::max(std::max(p, q), std::max(r, s)));
}

// Returns the product of x and an interval y of finite numbers >= 0, at half the cost of x * y.
inline Interval times_nonnegative(const Interval& x, const Interval& y) {
  return widened(x.lo * (x.lo < 0 ? y.hi : y.lo), x.hi * (x.hi < 0 ? y.lo : y.hi));
}

using IntervalVector = std::array<Interval, 3>;

inline Interval dot(const IntervalVector& x, const IntervalVector& y) {
  return x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
}
inline IntervalVector cross(const IntervalVector& x, const IntervalVector& y) {
  return {x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]};
}

// An enclosure of start + t way, t in [0, 1]: one coordinate of the difference of two points that
// move on straight lines.
struct MovingInterval {
  Interval start, way;

  MovingInterval() = default;
  // The motion from x0 - y0 at t = 0 to x1 - y1 at t = 1.
  MovingInterval(const Interval& x0, const Interval& y0, const Interval& x1, const Interval& y1)
      : start(x0 - y0), way((x1 - y1) - start) {}

  Interval at(const Interval& t) const { return start + times_nonnegative(way, t); }
};

}  // namespace graze::exact
