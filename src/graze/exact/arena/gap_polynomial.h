#pragma once

#include <array>
#include <optional>
#include <span>

#include "graze/exact/arena/arena_polynomial.h"

namespace graze::exact {

// The Taylor expansion p(t + x) = sum of coefficients x^i. Each coefficient is mantissa *
// 2^exponent, with a mantissa in [1/2, 1] of relative error 2^-50, or 0 if the coefficient is 0.
struct Expansion {
  int degree = -1;
  std::array<double, GapPolynomial::max_degree + 1> mantissa;
  std::array<int, GapPolynomial::max_degree + 1> exponent;

  int sign() const { return degree < 0 || mantissa[0] == 0 ? 0 : mantissa[0] > 0 ? 1 : -1; }
};

Expansion expand(const GapPolynomial& p, const ArenaDyadic& t);

// The length of an interval of time: fraction * 2^exponent, with a fraction in [1/2, 1] of relative
// error at most 2^-50.
struct Width {
  double fraction;
  int exponent;
};

// A polynomial on an interval of time [a, b], as a function of s in [0, 1].
class LocalPolynomial {
 public:
  LocalPolynomial(const Expansion& at_a, const Expansion& at_b, const Width& width);

  bool never_positive() const;   // in [a, b]
  bool positive_inside() const;  // in (a, b)
  // Returns the number of roots in (a, b) if it is proven to be 0 or 1, where one root is simple;
  // nothing otherwise.
  std::optional<int> roots() const;
  int first_sign() const;  // the sign just after a; 0 if not proven

  // Estimates, without proof. root(): the root if there is one. cuts() and cuts_around_root(): one
  // to three ascending places in (0, 1) at which to cut the interval, chosen to part the roots from
  // each other, or to enclose a single root in a smaller piece.
  double root() const;
  struct Cuts {
    int count;
    std::array<double, 3> s;
  };
  Cuts cuts() const;
  Cuts cuts_around_root() const;

 private:
  double value(double s) const;
  double slope(double s) const;

  static constexpr int uncertain = 2;
  int degree_;
  std::array<double, GapPolynomial::max_degree + 1> c_;   // in powers of s, up to a factor
  std::array<int, GapPolynomial::max_degree + 1> signs_;  // of the Bernstein coefficients
};

// Returns whether p has a root in (lo, hi) at which all q are positive. p is not 0; there are at
// most four q.
bool has_root_inside(const GapPolynomial& p, std::span<const GapPolynomial> q, double lo,
                     double hi);

}  // namespace graze::exact
