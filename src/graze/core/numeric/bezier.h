#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "graze/core/numeric/strict_arithmetic.h"
#include "graze/core/numeric/unit_roundoff.h"
#include "graze/query.h"

namespace graze::numeric {

// Returns one coordinate of a path as the control points of a Bézier curve, up to rounding: a point
// of a Hermite curve is off by at most 3 u (|position| + |velocity|), u = 2^-53.
inline std::array<double, 4> bezier_points(Curve curve, const std::array<double, 4>& p) {
  if (curve != Curve::hermite) return p;
  return {p[0], p[0] + p[1] / 3, p[3] - p[2] / 3, p[3]};
}

// Returns the polar form of a Bézier curve of degree n at the times t[0..n-1], by de Casteljau's
// scheme. The error is at most 3 n u times the largest control point plus 2^-1070.
inline double polar_form(std::array<double, 4> p, int n, const std::array<double, 3>& t) {
  for (int level = 0; level < n; ++level) {
    const double x = t[static_cast<std::size_t>(level)];
    for (std::size_t j = 0; j < static_cast<std::size_t>(n - level); ++j)
      p[j] = (1 - x) * p[j] + x * p[j + 1];
  }
  return p[0];
}

// One coordinate of a curve between two times: the straight motion between its rounded ends.
//   (1) At begin + s (end - begin), s in [0, 1], the curve is within `deviation` of
//       (1-s) start + s end. `deviation` is infinite or NaN if a point overflows.
//
// A curve minus its chord is a Bézier curve, whose control points are those of the curve on the
// part minus the points of the chord at j / n. The largest of them bounds it. Rounding: let m be
// the largest size of a given point, for Hermite curves the sum of the sizes. The control points on
// the part are off by 3 u m + 9 u m (so are the first and the last, which are the ends of the
// chord), the point of the chord is computed with an error of 5 u m, the difference with 2 u m. The
// sum is below 32 u m.
struct ChordOfCurve {
  double start, end, deviation;

  ChordOfCurve(Curve curve, const std::array<double, 4>& points, double begin, double finish) {
    const int n = degree(curve);
    double size = 0;
    for (std::size_t i = 0; i < point_count(curve); ++i)
      size = curve == Curve::hermite ? size + std::abs(points[i])
                                     : std::max(size, std::abs(points[i]));
    const std::array<double, 4> p = bezier_points(curve, points);
    start = polar_form(p, n, {begin, begin, begin});
    end = polar_form(p, n, {finish, finish, finish});
    deviation = 0;
    for (int j = 1; j < n; ++j) {
      std::array<double, 3> times{finish, finish, finish};  // n - j times begin, j times finish
      std::fill_n(times.begin(), n - j, begin);
      const double part = j / double(n);
      deviation = std::max(deviation,
                           std::abs(polar_form(p, n, times) - ((1 - part) * start + part * end)));
    }
    deviation += 32 * u * size + 0x1p-1060;
  }
};

// One coordinate of a curve between two times, as a cubic Bézier curve.
//   (1) The exact control points are within `err` of the given ones, and these are at most `size`
//       (1 + 2^-40). `size` is infinite or NaN if a point overflows.
//   (2) The first point of a part that begins at 0 is exact.
//
// The control points on the part are the polar form of the curve at its ends: off by 3 u m + 9 u m,
// with m the largest of the points, for Hermite curves their sum. A line or a parabola is raised to
// degree 3, (a + 2 b) / 3, with 5 u m more: all together below 32 u m. (1 - 0) a + 0 b is a.
struct PartOfCurve {
  std::array<double, 4> point;
  double size, err;

  PartOfCurve(Curve curve, const std::array<double, 4>& points, double begin, double finish)
      : size(0) {
    const int n = degree(curve);
    for (std::size_t i = 0; i < point_count(curve); ++i)
      size = curve == Curve::hermite ? size + std::abs(points[i])
                                     : std::max(size, std::abs(points[i]));
    const std::array<double, 4> p = bezier_points(curve, points);
    for (int j = 0; j <= n; ++j) {
      std::array<double, 3> times{finish, finish, finish};  // n - j times begin, j times finish
      std::fill_n(times.begin(), n - j, begin);
      point[static_cast<std::size_t>(j)] = polar_form(p, n, times);
    }
    const auto [a, b, c, d] = point;
    if (n == 1) point = {a, (a + a + b) / 3, (a + b + b) / 3, b};
    if (n == 2) point = {a, (a + b + b) / 3, (b + b + c) / 3, c};
    err = 32 * u * size + 0x1p-1060;
  }
};

}  // namespace graze::numeric
