#pragma once

#include <cmath>

#include "graze/core/numeric/strict_arithmetic.h"
#include "graze/core/numeric/unit_roundoff.h"

namespace graze::numeric {

// A real number x known up to a bound, for running error analysis: |x - value| <= bound().
//
// A sum v = fl(a + b) is off by at most a.err + b.err + u|v|, a product by |a| b.err + |b| a.err +
// a.err b.err + u|v|, and by 2^-1075 more where the product underflows (sums do not). Computing
// such a bound takes at most 6 roundings, so it falls short by a factor of at least (1-u)^6.
// `Slack` covers these roundings and underflow; its static functions return
//   of_sum(e), of_product(e)  the err of a result, for the bound e as computed
//   when_read(err)            bound()
// and its comment derives why that is enough for the numbers it is used with.
template <class Slack>
struct Bounded {
  double value = 0, err = 0;

  double bound() const { return Slack::when_read(err); }
  bool is_positive() const { return value > bound(); }
  bool is_negative() const { return value < -bound(); }
  // Returns the sign of x; 0 if it is unknown.
  int sign() const {
    const double known = bound();
    return value > known ? 1 : value < -known ? -1 : 0;
  }

  Bounded operator-() const { return {-value, err}; }
  friend Bounded operator+(const Bounded& a, const Bounded& b) {
    const double sum = a.value + b.value;
    return {sum, Slack::of_sum((a.err + b.err) + u * std::abs(sum))};
  }
  friend Bounded operator-(const Bounded& a, const Bounded& b) { return a + -b; }
  friend Bounded operator*(const Bounded& a, const Bounded& b) {
    const double product = a.value * b.value;
    return {product, Slack::of_product((std::abs(a.value) + a.err) * b.err +
                                       std::abs(b.value) * a.err + u * std::abs(product))};
  }
  friend Bounded operator*(double exact, const Bounded& b) { return Bounded{exact, 0} * b; }
};

}  // namespace graze::numeric
