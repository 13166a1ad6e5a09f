#pragma once

#include <array>

#include "graze/query.h"

namespace graze::exact {

// The difference of two moving points, linear in t: `at[0]` at t = 0 and `at[1]` at t = 1, both
// times 2^-exponent so that the largest component is in [1/2, 1).
// Components are within a factor 1 +- 2^-53, or within 2^-1074, of the exact ones.
struct MovingVector {
  static constexpr int none = -5000;  // exponent of the vector that is zero at all times

  std::array<Vec3, 2> at;
  int exponent = none;

  bool is_zero() const { return exponent == none; }

  // Returns the same vector times 2^-larger instead, larger >= exponent; the error is at most
  // 2^-1074.
  MovingVector with_exponent(int larger) const;
};

// Returns corner `to` minus corner `from` of the query.
template <class Query>
MovingVector difference(const Query& query, std::size_t from, std::size_t to);

// A real polynomial of degree <= 3 known up to rounding.
//
//   (1) |value_at(t) - exact value at t| <= err for every double t in [0, 1].
//   (2) If sign_at() is the same, not 0, at two consecutive times of 0, extrema(), 1, the exact
//       polynomial has that sign everywhere between them.
struct Cubic {
  std::array<double, 4> c{};  // ascending powers
  double err = 0;

  double value_at(double t) const { return ((c[3] * t + c[2]) * t + c[1]) * t + c[0]; }
  int sign_at(double t) const {  // 0 if unknown
    const double value = value_at(t);
    return value > err ? 1 : value < -err ? -1 : 0;
  }

  // Returns the times of the local extrema in ascending order; NaN for each that does not exist.
  std::array<double, 2> extrema() const;
};

// The cubics below are determined up to a positive factor.
Cubic coplanarity(const MovingVector& x, const MovingVector& y, const MovingVector& z);  // det
Cubic collinearity(const MovingVector& x, const MovingVector& y);  // largest component of x cross y
Cubic coincidence(const MovingVector& x);                          // largest component of x

// Returns whether the corners stay in one plane (four) or on one line (three) at all times. Exact.
template <class Query>
bool always_coplanar(const Query& query);
template <class Query>
bool always_collinear(const Query& query, std::size_t i, std::size_t j, std::size_t k);

}  // namespace graze::exact
