#pragma once

#include <array>
#include <vector>

#include "graze/exact/integer.h"

namespace graze::exact {

// A polynomial of any degree with integer coefficients, lowest power first, without leading zeros;
// empty for 0. (judge/polynomial.h is for the degrees of straight motions.)
using Coefficients = std::vector<Integer>;

Coefficients operator+(const Coefficients& p, const Coefficients& q);
Coefficients operator-(const Coefficients& p, const Coefficients& q);
Coefficients operator*(const Coefficients& p, const Coefficients& q);

// Returns the greatest common divisor of two polynomials, times some number; p if q is 0.
Coefficients common_divisor(Coefficients p, Coefficients q);

// Returns the sign of p(t).
int sign_at(const Coefficients& p, const Dyadic& t);

// Sturm's sequence of a polynomial p != 0: p, p', and the negated remainders, each divided by the
// common divisor of its coefficients.
class SturmSequence {
 public:
  explicit SturmSequence(const Coefficients& p);

  // Returns the number of distinct roots in (a, b]. Precondition: a < b, and p has only simple
  // roots or vanishes at neither end.
  int count(const Dyadic& a, const Dyadic& b) const { return changes_at(a) - changes_at(b); }

  // Returns the greatest common divisor of p and p'.
  const Coefficients& gcd() const { return sequence_.back(); }

 private:
  int changes_at(const Dyadic& t) const;

  std::vector<Coefficients> sequence_;
};

// A root of a polynomial that has simple roots only. It is the only root in (a, b].
class SturmRoot {
 public:
  // Returns the distinct roots of p != 0 in [0, 1], in increasing order.
  static std::vector<SturmRoot> all(const Coefficients& p);
  // Returns the time 0.
  static SturmRoot zero();

  int sign_of(const Coefficients& q);  // the sign of q at the root
  std::array<double, 2> enclosure();   // the tightest doubles around the root
  // Returns numbers a <= root <= b with b - a <= 2^-bits a, or the root twice where b reaches it.
  std::array<Dyadic, 2> narrowed(unsigned bits);

 private:
  SturmRoot(Coefficients p, Dyadic a, Dyadic b) : p_(std::move(p)), a_(a), b_(b) {}
  bool at_most(const Dyadic& t) const;  // whether root <= t; t in [a, b]
  void halve();
  bool is_far_from_zero(const Coefficients& q) const;  // true only if q has no zero in [a, b]

  Coefficients p_;
  Dyadic a_, b_;
};

}  // namespace graze::exact
