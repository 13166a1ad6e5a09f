#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "graze/vec3.h"

namespace graze::exact {

inline constexpr int hidden = 2;  // the result of rough_side() besides the signs -1 and 1

// Returns the sign of the volume of the tetrahedron a, b, c, d; `hidden` if rounding hides it.
// With u = 2^-53 the determinant of the rounded differences is off by at most (7 + 56 u) u times
// the sum P of the absolute values of its six products (Shewchuk 1997, Theorem 1 and the bound
// orient3d A). 8 u P also covers the rounding of the bound. Where no difference exceeds 2^300,
// underflow of the products adds at most 12 * 2^-1074 * 2^300 < 2^-760.
inline int rough_side(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const Vec3 x = a - d, y = b - d, z = c - d;
  const double xy = x[0] * y[1], yx = x[1] * y[0], yz = y[0] * z[1], zy = y[1] * z[0],
               zx = z[0] * x[1], xz = z[1] * x[0];
  const double volume = z[2] * (xy - yx) + x[2] * (yz - zy) + y[2] * (zx - xz);
  const double size = std::abs(z[2]) * (std::abs(xy) + std::abs(yx)) +
                      std::abs(x[2]) * (std::abs(yz) + std::abs(zy)) +
                      std::abs(y[2]) * (std::abs(zx) + std::abs(xz));
  const double largest = std::max(
      {x.lpNorm<Eigen::Infinity>(), y.lpNorm<Eigen::Infinity>(), z.lpNorm<Eigen::Infinity>()});
  if (!(largest < 0x1p300) || !(std::abs(volume) > 0x1p-50 * size + 0x1p-760)) return hidden;
  return volume > 0 ? 1 : -1;
}

}  // namespace graze::exact
