#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "graze/vec3.h"

// Interval arithmetic of the verifier of proofs. The search uses none of it.
namespace graze::rigid::proof {

// A closed interval of real numbers. Every operation contains the exact result: an operation on
// doubles errs by at most 2^-53 of its result and 2^-1075, less than what out() adds.
struct Range {
  double lo = 0, hi = 0;

  static double down(double x) { return x - (std::abs(x) * 0x1p-52 + 0x1p-1070); }
  static double up(double x) { return x + (std::abs(x) * 0x1p-52 + 0x1p-1070); }
  static Range out(double lo, double hi) { return {down(lo), up(hi)}; }
  static Range of(double x) { return {x, x}; }

  double magnitude() const { return std::max(std::abs(lo), std::abs(hi)); }
};

inline Range operator+(const Range& a, const Range& b) {
  return Range::out(a.lo + b.lo, a.hi + b.hi);
}
inline Range operator-(const Range& a) {
  return {-a.hi, -a.lo};
}
inline Range operator-(const Range& a, const Range& b) {
  return a + -b;
}
inline Range operator*(const Range& a, const Range& b) {
  const double p = a.lo * b.lo, q = a.lo * b.hi, r = a.hi * b.lo, s = a.hi * b.hi;
  return Range::out(std::min(std::min(p, q), std::min(r, s)),
                    std::max(std::max(p, q), std::max(r, s)));
}
inline Range operator*(double a, const Range& b) {
  return a >= 0 ? Range::out(a * b.lo, a * b.hi) : Range::out(a * b.hi, a * b.lo);
}

// Ranges that contain the sine and the cosine of all numbers of a range q.
//
// The middle m of q is reduced by k quarter turns, k = rint(2 m/pi), with an enclosure of pi/2 of
// two doubles; the series of sine and cosine are summed in ranges, and the remainder after x^19 and
// x^20 is below 2^-55 for |x| <= 1. Both functions change by at most the half width of q around m.
struct SineCosine {
  Range sine, cosine;
};
inline SineCosine sine_cosine(const Range& q) {
  const double m = q.lo + 0.5 * (q.hi - q.lo);
  const double k = std::rint(m * 0.6366197723675814);
  // pi/2 is 0x1.921fb54442d18p+0 plus a number in the second range.
  const Range x = (Range::of(m) - k * Range::of(0x1.921fb54442d18p+0)) -
                  k * Range{0x1.1a62633145c06p-54, 0x1.1a62633145c07p-54};
  SineCosine result{Range{-1, 1}, Range{-1, 1}};
  if (!(x.magnitude() <= 1)) return result;
  const Range square = x * x;
  Range sine = Range::of(1), cosine = Range::of(1);
  for (int i = 9; i >= 1; --i) {
    const double odd = (2 * i) * (2 * i + 1), even = (2 * i - 1) * (2 * i);
    sine = Range::of(1) - square * Range::out(1 / odd, 1 / odd) * sine;
    cosine = Range::of(1) - square * Range::out(1 / even, 1 / even) * cosine;
  }
  sine = x * sine;
  const double half = Range::up(Range::up(q.hi - q.lo)) * 0.5 + 0x1p-55;
  const auto wide = [&](const Range& r) {
    return Range{std::max(Range::down(r.lo - half), -1.0), std::min(Range::up(r.hi + half), 1.0)};
  };
  sine = wide(sine);
  cosine = wide(cosine);
  switch (static_cast<int>(static_cast<long long>(k) & 3)) {
    case 0:
      return {sine, cosine};
    case 1:
      return {cosine, -sine};
    case 2:
      return {-sine, -cosine};
    default:
      return {-cosine, sine};
  }
}

using Ranges = std::array<Range, 3>;
struct RangeMatrix {
  std::array<Ranges, 3> row{};
};

inline Range dot(const Ranges& a, const Vec3& b) {
  return b[0] * a[0] + b[1] * a[1] + b[2] * a[2];
}
inline RangeMatrix operator*(const RangeMatrix& a, const RangeMatrix& b) {
  RangeMatrix c;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      c.row[i][j] =
          a.row[i][0] * b.row[0][j] + a.row[i][1] * b.row[1][j] + a.row[i][2] * b.row[2][j];
  return c;
}
inline RangeMatrix operator+(const RangeMatrix& a, const RangeMatrix& b) {
  RangeMatrix c;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) c.row[i][j] = a.row[i][j] + b.row[i][j];
  return c;
}
inline RangeMatrix operator*(const Range& a, const RangeMatrix& b) {
  RangeMatrix c;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) c.row[i][j] = a * b.row[i][j];
  return c;
}

}  // namespace graze::rigid::proof
