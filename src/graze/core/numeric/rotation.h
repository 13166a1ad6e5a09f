#pragma once

#include <Eigen/Geometry>

#include "graze/core/numeric/strict_arithmetic.h"
#include "graze/vec3.h"

namespace graze::numeric {

// Returns the quaternion of the rotation by |a| about a, (cos(|a|/2), sin(|a|/2) a/|a|), computed
// without libm.
//
// Let h = |a|/2 and y = h/2^m with the smallest m that makes y <= 1/2, so 2^m <= max(1, 2|a|). The
// series of cos y and of (sin y)/h are summed to y^16 and y^17; the remainder is below 2^-60.
// With u = 2^-53: y^2 has an error of 4u y^2 and Horner's scheme adds 2u, so the complex number
// z = cos y + i sin y has an error below 6u. Each of m squarings doubles its error and adds less
// than 4u, together less than 2^m (6u + 4u) <= 10u max(1, 2|a|). (The squares of the errors add
// less than 2^-90 times 4^m, and m <= 40 for every |a| <= 2^39.)
inline Eigen::Quaterniond exponential(const Vec3& a) {
  double square = a.squaredNorm() / 4;  // h^2, then y^2
  double scale = 0.5;                   // of a, so that the imaginary part has length sin(y)
  int doublings = 0;
  for (; square > 0.25 && doublings < 40; ++doublings) {
    square /= 4;
    scale /= 2;
  }
  double cosine = 0, sine = 0;  // sine over y
  for (int k = 8; k >= 1; --k) {
    cosine = (1 + cosine) * (-square / ((2 * k - 1) * (2 * k)));
    sine = (1 + sine) * (-square / ((2 * k) * (2 * k + 1)));
  }
  cosine += 1;
  sine = (1 + sine) * scale;
  // sine is now sin(y)/|a|; both are squared as a complex number with imaginary part sine |a|.
  const double length_sq = a.squaredNorm();
  for (; doublings > 0; --doublings) {
    const double doubled = 2 * sine * cosine;
    cosine = cosine * cosine - sine * sine * length_sq;
    sine = doubled;
  }
  return {cosine, sine * a[0], sine * a[1], sine * a[2]};
}

}  // namespace graze::numeric
