#pragma once

#include <array>

#include "graze/exact/integer.h"

namespace graze::exact {

// A polynomial in t with integer coefficients and degree at most 6. Points that move on straight
// lines need no higher degree: 3 for contact, 6 for the square of a distance.
//
// This is a second implementation beside exact/arena/arena_polynomial.h on purpose: the oracle
// judges the exact methods, which use the other one, and shares no code with them.
struct Polynomial {
  static constexpr int max_degree = 6;
  std::array<Integer, max_degree + 1> c{};  // ascending powers

  int degree() const;  // -1: identically zero
  bool is_zero() const { return degree() < 0; }
};

Polynomial operator+(const Polynomial& p, const Polynomial& q);
Polynomial operator-(const Polynomial& p, const Polynomial& q);
Polynomial operator*(const Polynomial& p, const Polynomial& q);  // degrees must add up to <= 6

using PolynomialVector = std::array<Polynomial, 3>;
PolynomialVector operator-(const PolynomialVector& p, const PolynomialVector& q);
Polynomial dot(const PolynomialVector& p, const PolynomialVector& q);
Polynomial cross(const PolynomialVector& p, const PolynomialVector& q, std::size_t axis);
PolynomialVector cross(const PolynomialVector& p, const PolynomialVector& q);

Polynomial derivative(const Polynomial& p);

// Returns the greatest common divisor over the rationals, with coprime coefficients; 0 for (0, 0).
Polynomial gcd(Polynomial p, Polynomial q);

// Returns a polynomial with the same roots as p, all of them simple. p must not be zero.
Polynomial squarefree_part(const Polynomial& p);

// Returns 2^(t.shift degree) p(t); degree >= p.degree().
Integer value_at(const Polynomial& p, const Dyadic& t, int degree);

inline int sign_at(const Polynomial& p, const Dyadic& t) {
  return sign(value_at(p, t, p.degree()));
}

// A polynomial p on an interval: control[0..degree] are its Bernstein coefficients there, times one
// positive factor. They bound p from both sides. By the rule of Descartes, the number of roots in
// the open interval, counted with multiplicity, is variations() or less by an even number.
struct Bernstein {
  int degree = -1;
  std::array<Integer, Polynomial::max_degree + 1> control{};

  Bernstein() = default;
  Bernstein(const Polynomial& p, const Dyadic& lo, const Dyadic& hi);

  int variations() const;  // sign changes along control, zeros skipped
  int first_sign() const;  // sign of p just after the start of the interval

  // Returns the sign of p on the whole open interval if `control` proves one, else 0.
  int common_sign() const;

  // Returns p on the two halves of the interval.
  std::array<Bernstein, 2> split() const;
};

}  // namespace graze::exact
