#pragma once

#include <cmath>
#include <optional>

#include "graze/core/numeric/double_double.h"
#include "graze/core/numeric/strict_arithmetic.h"
#include "graze/core/numeric/unit_roundoff.h"
#include "graze/polyhedron/model/exact_sign.h"

namespace graze::polyhedron {

// A number within err of the double-double hi + lo, where err is about 2^-100 of the terms summed;
// hi is the double nearest to hi + lo. Needs the floating-point environment of Interval. Overflow
// becomes NaN, which decides nothing. (numeric::Bounded is the counterpart for a value of one
// double; its bounds would be 2^50 times as wide.)
struct Wide {
  double hi = 0, lo = 0, err = 0;

  constexpr Wide() = default;
  constexpr Wide(double x) : hi(x) {}  // exactly
  constexpr Wide(double h, double l, double e) : hi(h), lo(l), err(e) {}
  constexpr Wide(const numeric::DoubleDouble<double>& x, double e) : hi(x.hi), lo(x.lo), err(e) {}

  double size() const { return std::abs(hi) + std::abs(lo); }
};

// Covers the rounding of a bound: fewer than 20 sums and products.
inline constexpr double round_up = 1 + 0x1p-47;

// The result is off by the rounding of two sums, each at most u = 2^-53 of its value.
inline Wide operator+(const Wide& x, const Wide& y) {
  const auto high = numeric::two_sum(x.hi, y.hi);
  const double low = x.lo + y.lo, rest = high.lo + low;
  const double rounding = numeric::u * (std::abs(low) + std::abs(rest));
  return {numeric::two_sum(high.hi, rest), (x.err + y.err + rounding) * round_up};
}
inline Wide operator-(const Wide& x) {
  return {-x.hi, -x.lo, x.err};
}
inline Wide operator-(const Wide& x, const Wide& y) {
  return x + -y;
}

// The product of the high parts is exact in two doubles. The product of the low parts is omitted;
// two products and two sums are rounded. Underflow costs less than 2^-1000 in total.
inline Wide operator*(const Wide& x, const Wide& y) {
  const auto high = numeric::two_product(x.hi, y.hi);
  const double p = x.hi * y.lo, q = x.lo * y.hi, mixed = p + q, rest = high.lo + mixed;
  const double rounding =
      0x1p-52 * (std::abs(p) + std::abs(q) + std::abs(rest)) + std::abs(x.lo * y.lo) + 0x1p-1000;
  const double err = x.size() * y.err + y.size() * x.err + x.err * y.err + rounding;
  return {numeric::two_sum(high.hi, rest), err * round_up};
}

inline Triple<Wide> wide(const Vec3& x) {
  return {Wide(x[0]), Wide(x[1]), Wide(x[2])};
}

// Returns the largest double <= n/d and the smallest double >= n/d; nothing if n/d is too close to
// a double to decide. Two steps of long division leave a remainder r: n/d = q0 + q1 + r/d.
inline std::optional<Interval> rounded_quotient(const Wide& n, const Wide& d) {
  const double q0 = n.hi / d.hi;
  const Wide first = n - Wide(q0) * d;
  const double q1 = first.hi / d.hi;
  const Wide rest = first - Wide(q1) * d;
  const double least = (std::abs(d.hi) - (std::abs(d.lo) + d.err)) / round_up;
  const double err = (rest.size() + rest.err) / least * round_up;
  const auto q = numeric::two_sum(q0, q1);
  const double other = std::nextafter(q.hi, q.lo > 0 ? HUGE_VAL : -HUGE_VAL);
  const bool tells =
      least > 0 && std::abs(q.lo) > err && std::abs(q.lo) + err < std::abs(other - q.hi) / round_up;
  if (!tells) return std::nullopt;
  return q.lo > 0 ? Interval(q.hi, other) : Interval(other, q.hi);
}

}  // namespace graze::polyhedron
