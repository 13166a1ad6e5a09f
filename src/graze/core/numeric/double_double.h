#pragma once

#include <array>

#include "graze/core/numeric/strict_arithmetic.h"

namespace graze {

// A sum of two doubles, hi = fl(hi + lo): about 106 bits. No fused operation is needed, so the bits
// are the same everywhere. Magnitudes must stay between 2^-900 and 2^900 or be 0; what underflows
// below that loses less than 2^-960.
struct PairNumber {
  double hi = 0, lo = 0;
};

inline PairNumber fast_sum(double a, double b) {  // |a| >= |b| or a = 0
  const double s = a + b;
  return {s, b - (s - a)};
}
inline PairNumber two_sum(double a, double b) {  // exact
  const double s = a + b, bb = s - a;
  return {s, (a - (s - bb)) + (b - bb)};
}
inline PairNumber two_product(double a, double b) {  // exact: Dekker
  constexpr double split = 0x1p27 + 1;
  const double p = a * b;
  const double ca = split * a, cb = split * b;
  const double a1 = ca - (ca - a), b1 = cb - (cb - b), a2 = a - a1, b2 = b - b1;
  return {p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2};
}
inline PairNumber operator-(PairNumber a) {
  return {-a.hi, -a.lo};
}
inline PairNumber operator+(PairNumber a, PairNumber b) {  // error <= 3 u^2 (|a| + |b|)
  const PairNumber s = two_sum(a.hi, b.hi), t = two_sum(a.lo, b.lo);
  const PairNumber v = fast_sum(s.hi, s.lo + t.hi);
  return fast_sum(v.hi, t.lo + v.lo);
}
inline PairNumber operator-(PairNumber a, PairNumber b) {
  return a + -b;
}
inline PairNumber operator*(PairNumber a, PairNumber b) {  // error <= 8 u^2 |a b|
  const PairNumber p = two_product(a.hi, b.hi);
  return fast_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}
inline PairNumber operator*(double a, PairNumber b) {  // error <= 4 u^2 |a b|
  const PairNumber p = two_product(a, b.hi);
  return fast_sum(p.hi, p.lo + a * b.lo);
}

using PairVector = std::array<PairNumber, 3>;

inline PairVector operator-(const PairVector& a, const PairVector& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
inline PairNumber dot(const PairVector& a, const PairVector& b) {
  return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}
inline PairVector cross(const PairVector& a, const PairVector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

}  // namespace graze
