#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "graze/core/numeric/strict_arithmetic.h"
#include "graze/core/numeric/unit_roundoff.h"

namespace graze::narrow::bernstein {

// A real number known up to a bound, for running error analysis: |x - v| <= e, after `slack` and
// `tiny` are added to `e` when it is read (see (1) and (2)).
//
// With u = 2^-53 a sum v = fl(a + b) is off by at most a.e + b.e + u|v|, a product by
// |a.v| b.e + |b.v| a.e + a.e b.e + u|v|, and v by 2^-1075 more where the product underflows (sums
// do not).
//   (1) Computing such a bound takes at most 6 roundings, so it falls short by a factor of at least
//       (1-u)^6. Along a chain of 500 operations that is 1 - 3000u > 1 - 2^-41: `slack` covers it.
//   (2) Numbers and bounds are kept near 1 by `normalize`, and between two calls of it none exceeds
//       2^40 and no chain has more than 100 products; so what underflow takes, in v and in e, is
//       below 100 * 2^40 * 2^-1074 < 2^-1000 in all: `tiny` covers it.
struct Bounded {
  static constexpr double slack = 1 + 0x1p-40, tiny = 0x1p-1000;

  double v = 0, e = 0;

  // Returns the sign of x; 0 if it is unknown.
  int sign() const {
    const double err = e * slack + tiny;
    return v > err ? 1 : v < -err ? -1 : 0;
  }

  Bounded operator-() const { return {-v, e}; }
  friend Bounded operator+(const Bounded& a, const Bounded& b) {
    const double sum = a.v + b.v;
    return {sum, (a.e + b.e) + numeric::u * std::abs(sum)};
  }
  friend Bounded operator-(const Bounded& a, const Bounded& b) { return a + -b; }
  friend Bounded operator*(const Bounded& a, const Bounded& b) {
    const double product = a.v * b.v;
    return {product,
            (std::abs(a.v) + a.e) * b.e + std::abs(b.v) * a.e + numeric::u * std::abs(product)};
  }
};

inline Bounded times(const Bounded& a, unsigned factor) {
  return a * Bounded{static_cast<double>(factor), 0};
}

// Returns the power of two that scales x into [1, 2); x must be in [2^-1000, 2^1000].
inline double inverse_power(double x) {
  const auto exponent = std::bit_cast<std::uint64_t>(x) >> 52 & 0x7ff;
  return std::bit_cast<double>((2046 - exponent) << 52);
}

// Multiplies all numbers by one power of two, so that the largest of them and their bounds is in
// [1, 2). What is too small for that has no known sign and stays as it is.
template <std::size_t N>
void normalize(std::array<Bounded, N>& numbers) {
  double largest = 0;
  for (const Bounded& x : numbers) largest = std::max({largest, std::abs(x.v), x.e});
  if (!(largest >= Bounded::tiny)) return;
  const double factor = inverse_power(largest);
  for (Bounded& x : numbers) x = {x.v * factor, (x.e + Bounded::tiny) * factor};
}

}  // namespace graze::narrow::bernstein
