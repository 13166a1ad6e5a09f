#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "graze/core/numeric/double_double.h"
#include "graze/core/numeric/strict_arithmetic.h"
#include "graze/query.h"

namespace graze::narrow {

// One coordinate of the difference of two corners as the control points of a Bézier curve, from the
// points x - y of the paths. Hermite curves are scaled by 3, which keeps their control points free
// of divisions: with d, v, w, f the differences of position, velocities and position,
//   3 d, 3 d + v, 3 f - w, 3 f.
//
// u = 2^-53. fl(x - y) is off by u |x - y| (also with gradual underflow); 3 x by one rounding more;
// 3 d + v: 2 u |3 d| + u |v| from its terms and u (|3 d| + |v|) from the sum, 3 u (|3 d| + |v|)
// with second-order terms below 4 u. `size` is at least the largest of the exact and the computed
// control points and of |3 d| + |v|, |3 f| + |w|, up to a relative error of 4 u: the control points
// are off by at most 4 u size (1 + 4 u).
struct ControlDifference {
  std::array<double, 4> point;
  double size;  // the bound above
};

inline ControlDifference control_difference(Curve curve, const std::array<double, 4>& x,
                                            const std::array<double, 4>& y) {
  ControlDifference result{};
  const std::size_t count = point_count(curve);
  for (std::size_t j = 0; j < count; ++j) result.point[j] = x[j] - y[j];
  auto& p = result.point;
  if (curve != Curve::hermite) {
    for (std::size_t j = 0; j < count; ++j) result.size = std::max(result.size, std::abs(p[j]));
    return result;
  }
  const double d = 3 * p[0], f = 3 * p[3];
  result.size = std::max(std::abs(d) + std::abs(p[1]), std::abs(f) + std::abs(p[2]));
  p = {d, d + p[1], f - p[2], f};
  return result;
}

// The same control points as pairs of doubles. A difference of doubles is exact; a Hermite point is
// off by 4 u^2 |3 d| from the product and 3 u^2 (|3 d| + |v|) from the sum: below 10 u^2 size.
inline std::array<numeric::PairNumber, 4> exact_control_difference(Curve curve,
                                                                   const std::array<double, 4>& x,
                                                                   const std::array<double, 4>& y) {
  std::array<numeric::PairNumber, 4> p{};
  for (std::size_t j = 0; j < point_count(curve); ++j) p[j] = numeric::two_sum(x[j], -y[j]);
  if (curve != Curve::hermite) return p;
  const numeric::PairNumber d = 3.0 * p[0], f = 3.0 * p[3];
  return {d, d + p[1], f - p[2], f};
}

}  // namespace graze::narrow
