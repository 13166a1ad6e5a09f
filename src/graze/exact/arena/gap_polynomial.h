#pragma once

#include <array>
#include <optional>
#include <span>

#include "graze/exact/arena/isolated_root.h"

namespace graze::exact {

// c[0] + ... + c[degree] t^degree with c[degree] != 0; degree -1 is the zero polynomial. Long
// enough for the gap of a face.
struct GapPolynomial {
  static constexpr int max_degree = 6;
  std::array<ArenaInteger, max_degree + 1> c;
  int degree = -1;

  bool is_zero() const { return degree < 0; }
};

GapPolynomial operator+(const GapPolynomial& p, const GapPolynomial& q);
GapPolynomial operator-(const GapPolynomial& p, const GapPolynomial& q);
GapPolynomial operator*(const GapPolynomial& p, const GapPolynomial& q);

int sign_at(const GapPolynomial& p, const ArenaDyadic& t);

// p(t + x) = sum of coefficients x^i, each as mantissa * 2^exponent with a mantissa in [1/2, 1]
// that is off by 2^-50 of itself, or 0 where the coefficient is 0.
struct Expansion {
  int degree = -1;
  std::array<double, GapPolynomial::max_degree + 1> mantissa;
  std::array<int, GapPolynomial::max_degree + 1> exponent;

  int sign() const { return degree < 0 || mantissa[0] == 0 ? 0 : mantissa[0] > 0 ? 1 : -1; }
};

Expansion expand(const GapPolynomial& p, const ArenaDyadic& t);

// The length of a piece of time: fraction * 2^exponent, with a fraction in [1/2, 1] that may be off
// by 2^-50 of itself.
struct Width {
  double fraction;
  int exponent;
};

// A polynomial on a piece of time [a, b], as a function of s in [0, 1].
class LocalPolynomial {
 public:
  LocalPolynomial(const Expansion& at_a, const Expansion& at_b, const Width& width);

  bool never_positive() const;   // in [a, b]
  bool positive_inside() const;  // in (a, b)
  // The number of roots in (a, b) if it is certainly 0 or 1; a single root is a simple one.
  std::optional<int> roots() const;
  int first_sign() const;  // just after a, if certain; else 0

  // Estimates: a root where there is one; one to three places in (0, 1), ascending, at which to cut
  // the piece such that roots fall apart, or such that a single root is alone on a smaller piece.
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

// Whether at some root of p in (lo, hi) all q, at most four, are positive. p is not 0.
bool has_root_inside(const GapPolynomial& p, std::span<const GapPolynomial> q, double lo,
                     double hi);

}  // namespace graze::exact
