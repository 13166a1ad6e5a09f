#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "graze/core/numeric/bounded.h"

namespace graze::narrow::bernstein {

// Covers rounding and underflow when a bound is read, not when it is computed.
//   (1) Along a chain of 500 operations the computed bounds fall short by a factor of at least
//       (1-u)^3000 > 1 - 2^-41, which `factor` covers.
//   (2) Numbers and bounds are kept near 1 by `normalize`, and between two calls of it none exceeds
//       2^40 and no chain has more than 100 products; so what underflow takes, in values and in
//       bounds, is below 100 * 2^40 * 2^-1074 < 2^-1000 in all: `tiny` covers it.
struct ChainSlack {
  static constexpr double factor = 1 + 0x1p-40, tiny = 0x1p-1000;

  static double of_sum(double err) { return err; }
  static double of_product(double err) { return err; }
  static double when_read(double err) { return err * factor + tiny; }
};
using Bounded = numeric::Bounded<ChainSlack>;

// The same without slack and, below, without scaling: products of many small numbers underflow.
struct NoSlack {
  static double of_sum(double err) { return err; }
  static double of_product(double err) { return err; }
  static double when_read(double err) { return err; }
};
using Unscaled = numeric::Bounded<NoSlack>;

template <class Slack>
numeric::Bounded<Slack> times(const numeric::Bounded<Slack>& a, unsigned factor) {
  return static_cast<double>(factor) * a;
}

// Returns the power of two that scales x into [1, 2); x must be in [2^-1000, 2^1000].
inline double inverse_power(double x) {
  const auto exponent = std::bit_cast<std::uint64_t>(x) >> 52 & 0x7ff;
  return std::bit_cast<double>((2046 - exponent) << 52);
}

// Multiplies all numbers by one power of two, so that the largest of them and their bounds is in
// [1, 2). Numbers that are too small to be scaled have no known sign and are not changed.
template <std::size_t N>
void normalize(std::array<Bounded, N>& numbers) {
  double largest = 0;
  for (const Bounded& x : numbers) largest = std::max({largest, std::abs(x.value), x.err});
  if (!(largest >= ChainSlack::tiny)) return;
  const double factor = inverse_power(largest);
  for (Bounded& x : numbers) x = {x.value * factor, (x.err + ChainSlack::tiny) * factor};
}
template <std::size_t N>
void normalize(std::array<Unscaled, N>&) {}

}  // namespace graze::narrow::bernstein
