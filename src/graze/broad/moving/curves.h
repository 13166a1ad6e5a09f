#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "graze/core/numeric/strict_arithmetic.h"
#include "graze/mesh.h"

namespace graze::broad {

// The paths of vertices that move on cubic Bézier curves during a step. The first and the last
// control points are the start and the end of the MovingMesh that the curves come with. Views.
struct Curves {
  std::array<std::span<const Vec3>, 2> inner;  // the second and the third control points
  // For each vertex, how far a coordinate of a given control point may be from the exact one.
  std::span<const double> err;
};

// Control points of one coordinate of a curve.
struct CurvePoints {
  std::array<double, 4> point;
  double err;  // how far each of them may be from the exact one

  CurvePoints(const MovingMesh& moving, const Curves& curves, std::uint32_t vertex, int axis)
      : point{moving.start[vertex][axis], curves.inner[0][vertex][axis],
              curves.inner[1][vertex][axis], moving.end[vertex][axis]},
        err(curves.err[vertex]) {}

  // Returns an interval that contains the coordinate at all times: a Bézier curve lies in the hull
  // of its control points.
  std::array<double, 2> hull() const {
    const auto [lo, hi] = std::minmax({point[0], point[1], point[2], point[3]});
    return {below(lo, err), above(hi, err)};
  }

  // Returns bounds at the start and at the end of the step. At every time between, the bounds
  // that move linearly from the former to the latter contain the coordinate.
  //
  // Let p be the given control points and c(s) = (1-s) p0 + s p3. The curve of the p minus c is a
  // Bézier curve with the control points 0, d1 = p1 - c(1/3), d2 = p2 - c(2/3), 0:
  //   3 s (1-s) ((1-s) d1 + s d2).
  // The last factor lies between d1 and d2, and 0 <= 3 s (1-s) <= 3/4, so c plus
  // 3/4 min(0, d1, d2) and c plus 3/4 max(0, d1, d2) contain that curve. The exact curve is a
  // convex combination of control points that are within err of p, so it is within err of that
  // curve. Rounding, with u = 2^-53 and m the largest |p|: a point of c is computed with at most
  // 5 u m, a difference, at most 2 m, with 2 u m more, the product with 3/4 with 2 u m, the sum
  // with 3 u m: below 16 u m. 2^-1070 covers underflow.
  std::array<std::array<double, 2>, 2> moving_bounds() const {
    const auto [first, second, third, last] = point;
    const double d1 = second - (first * (2.0 / 3) + last / 3);
    const double d2 = third - (first / 3 + last * (2.0 / 3));
    const double m = std::max({std::abs(first), std::abs(second), std::abs(third), std::abs(last)});
    const double wide = (err + 0x1p-49 * m) * (1 + 0x1p-50) + 0x1p-1070;
    const double least = 0.75 * std::min({0.0, d1, d2}), most = 0.75 * std::max({0.0, d1, d2});
    return {{{below(first + least, wide), above(first + most, wide)},
             {below(last + least, wide), above(last + most, wide)}}};
  }

 private:
  // Return a lower bound of x - change and an upper bound of x + change, change >= 0.
  static double below(double x, double change) {
    return std::nextafter(x - change, -std::numeric_limits<double>::infinity());
  }
  static double above(double x, double change) {
    return std::nextafter(x + change, std::numeric_limits<double>::infinity());
  }
};

}  // namespace graze::broad
