#pragma once

#include <algorithm>
#include <cassert>
#include <span>

#include "graze/exact/arena/arena_integer.h"

namespace graze::exact {

// The polynomial c[0] + c[1] t + ... + c[degree] t^degree with c[degree] != 0; degree -1 is the
// zero polynomial.
//
// exact/judge/polynomial.h is a second implementation on purpose. The oracle uses that one. It
// judges the exact methods, which use this one, and shares no code with them.
template <int max>
struct ArenaPolynomialUpTo {
  static constexpr int max_degree = max;
  ArenaInteger c[max_degree + 1];
  int degree = -1;

  bool is_zero() const { return degree < 0; }
};
using ArenaPolynomial = ArenaPolynomialUpTo<3>;
using GapPolynomial = ArenaPolynomialUpTo<6>;  // the gap of a face has the largest degree, 6

// Makes a polynomial from its coefficients, lowest power first, without the leading zeros.
template <int max = 3>
ArenaPolynomialUpTo<max> make_polynomial(std::span<const ArenaInteger> coefficients);

// Returns p without leading zeros.
template <int max>
ArenaPolynomialUpTo<max> trimmed(ArenaPolynomialUpTo<max> p) {
  while (p.degree >= 0 && p.c[p.degree].is_zero()) --p.degree;
  return p;
}

template <int max>
ArenaPolynomialUpTo<max> make_polynomial(std::span<const ArenaInteger> coefficients) {
  ArenaPolynomialUpTo<max> p;
  std::copy(coefficients.begin(), coefficients.end(), p.c);
  p.degree = static_cast<int>(coefficients.size()) - 1;
  return trimmed(p);
}

template <int max>
ArenaPolynomialUpTo<max> operator-(ArenaPolynomialUpTo<max> p) {
  for (int i = 0; i <= p.degree; ++i) p.c[i] = -p.c[i];
  return p;
}
template <int max>
ArenaPolynomialUpTo<max> operator+(const ArenaPolynomialUpTo<max>& p,
                                   const ArenaPolynomialUpTo<max>& q) {
  if (p.degree < q.degree) return q + p;
  ArenaPolynomialUpTo<max> sum = p;
  for (int i = 0; i <= q.degree; ++i) sum.c[i] = p.c[i] + q.c[i];
  return trimmed(sum);
}
template <int max>
ArenaPolynomialUpTo<max> operator-(const ArenaPolynomialUpTo<max>& p,
                                   const ArenaPolynomialUpTo<max>& q) {
  ArenaPolynomialUpTo<max> difference = p;
  for (int i = 0; i <= q.degree; ++i) difference.c[i] = i <= p.degree ? p.c[i] - q.c[i] : -q.c[i];
  difference.degree = std::max(p.degree, q.degree);
  return trimmed(difference);
}
// The degrees must add up to at most max.
template <int max>
ArenaPolynomialUpTo<max> operator*(const ArenaPolynomialUpTo<max>& p,
                                   const ArenaPolynomialUpTo<max>& q) {
  ArenaPolynomialUpTo<max> product;
  if (p.is_zero() || q.is_zero()) return product;
  product.degree = p.degree + q.degree;
  assert(product.degree <= max);
  std::fill_n(product.c, product.degree + 1, ArenaInteger(p.c[0].arena()));
  for (int i = 0; i <= p.degree; ++i)
    for (int j = 0; j <= q.degree; ++j) product.c[i + j] = product.c[i + j] + p.c[i] * q.c[j];
  return product;
}

template <int max>
ArenaPolynomialUpTo<max> derivative(const ArenaPolynomialUpTo<max>& p) {
  ArenaPolynomialUpTo<max> d;
  d.degree = p.degree - 1;
  for (int i = 1; i <= p.degree; ++i) d.c[i - 1] = p.c[i].times(static_cast<unsigned>(i));
  return d;
}

// The dyadic number m * 2^-k.
struct ArenaDyadic {
  ArenaInteger m;
  int k = 0;
};

// Returns the sign of p(t).
template <int max>
int sign_at(const ArenaPolynomialUpTo<max>& p, const ArenaDyadic& t) {
  if (p.degree <= 0 || t.m.is_zero()) return p.is_zero() ? 0 : p.c[0].sign();
  const ArenaFrame frame(t.m.arena());
  ArenaInteger value = p.c[p.degree];
  for (int i = p.degree - 1; i >= 0; --i) value = value * t.m + (p.c[i] << (t.k * (p.degree - i)));
  return value.sign();
}

}  // namespace graze::exact
