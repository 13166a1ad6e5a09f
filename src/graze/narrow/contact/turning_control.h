#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "graze/core/numeric/unit_roundoff.h"
#include "graze/exact/arena/turning_paths.h"
#include "graze/exact/interval.h"

namespace graze::narrow {

// The differences e of a query that turns, on one half-turn, as the control points of quadratic
// Bézier curves in y in [0, 1], times a common positive weight. `size` bounds the exact and the
// given control points, and these are within 4 u size of each other: the form that the stages of
// exact_curved take (simd/exact_curved-inl.h).
template <class Query>
struct TurningControl {
  static constexpr std::size_t vectors = exact::Layout<Query>::differences.size();
  double point[vectors][3][3];  // vector, control point, coordinate
  double size[vectors][3];      // vector, coordinate
  double most = 0;              // the largest size; infinite if there is no bound
};

// Encloses the control points of the positions times w, w = c^2 + L s^2, with (c, s) divided by
// 2^(K + range) and n by 2^K (turning_paths.h): in Bernstein form c = {1, 1 - r}, s = {0, r} with
// r = 2^-range, so c^2 = {1, 1 - r, (1 - r)^2}, c s = {0, r / 2, r (1 - r)}, s^2 = {0, 0, r^2}.
// Coordinates are taken relative to a point on the first axis, which changes no difference.
// Interval arithmetic bounds all roundings. Precondition: no speed is 2.
template <class Query>
TurningControl<Query> turning_control(const Turning<Query>& query, const exact::SharedTurn& turn,
                                      const exact::HalfTurn& part) {
  using exact::Interval, exact::IntervalVector;
  const int scale = exact::HalfTurn::scale(turn.length_sq);
  const double r = std::ldexp(1.0, -part.range);
  const Interval rest = Interval(1) - Interval(r), cc[3] = {1.0, rest, rest * rest},
                 cs[3] = {0.0, r / 2, Interval(r) * rest}, ss[3] = {0.0, 0.0, r * r};
  std::array<IntervalVector, 2> axes;
  Interval length_sq;
  for (std::size_t i = 0; i < 2; ++i) {
    if (turn.speeds[i] == 0) continue;
    for (std::size_t k = 0; k < 3; ++k) {
      // Off by one unit of the last place.
      const double n = exact::approximate(turn.axes[i][k], -scale);
      axes[i][k] = exact::widened(n, n);
    }
    length_sq = exact::dot(axes[i], axes[i]);
  }
  const Vec3 origin = query.turns[turn.speeds[0] != 0 ? 0 : 1].point;
  const auto relative = [&](const Vec3& x) {
    return IntervalVector{Interval(x[0]) - Interval(origin[0]),
                          Interval(x[1]) - Interval(origin[1]),
                          Interval(x[2]) - Interval(origin[2])};
  };
  std::array<std::array<IntervalVector, 3>, 4> corners;
  for (std::size_t c = 0; c < 4; ++c) {
    const std::size_t i = primitive_of<Query>(c);
    const bool turns = turn.speeds[i] != 0;
    IntervalVector base = relative(turns ? query.turns[i].point : query.corners[c]), v{}, along{},
                   across{};
    if (turns) {
      const IntervalVector& n = axes[i];
      const Vec3 &x = query.corners[c], &point = query.turns[i].point;
      for (std::size_t k = 0; k < 3; ++k)
        v[k] = Interval(x[static_cast<int>(k)]) - Interval(point[static_cast<int>(k)]);
      if (part.half == 1) {
        const Interval twice = Interval(2) * exact::dot(n, v);
        for (std::size_t k = 0; k < 3; ++k) v[k] = n[k] * twice - v[k] * length_sq;
      }
      const Interval dot = exact::dot(n, v);
      for (std::size_t k = 0; k < 3; ++k) along[k] = n[k] * dot;
      across = exact::cross(n, v);
    }
    if (part.half == 1)
      for (std::size_t k = 0; k < 3; ++k) base[k] = base[k] * length_sq;
    for (std::size_t j = 0; j < 3; ++j) {
      const Interval bent = length_sq * ss[j], weight = cc[j] + bent;
      for (std::size_t k = 0; k < 3; ++k) {
        corners[c][j][k] = weight * base[k];
        if (!turns) continue;
        corners[c][j][k] = corners[c][j][k] + (cc[j] - bent) * v[k] +
                           Interval(2) * (ss[j] * along[k] + cs[j] * across[k]);
      }
    }
  }
  TurningControl<Query> result;
  for (std::size_t d = 0; d < result.vectors; ++d) {
    const auto [x, y] = exact::Layout<Query>::differences[d];
    for (std::size_t k = 0; k < 3; ++k) {
      double size = 0, radius = 0;
      for (std::size_t j = 0; j < 3; ++j) {
        const Interval e = corners[x][j][k] - corners[y][j][k];
        const double middle = e.lo + (e.hi - e.lo) / 2;
        result.point[d][j][k] = middle;
        const double reach = std::max(e.hi - middle, middle - e.lo);
        if (!std::isfinite(reach)) {
          result.most = std::numeric_limits<double>::infinity();
          return result;
        }
        radius = std::max(radius, reach);
        size = std::max(size, std::abs(middle));
      }
      // Two roundings of each term; 0.26 > 1/4 covers them.
      result.size[d][k] = std::max((size + radius) * (1 + 0x1p-50), radius * (0.26 / numeric::u));
      result.most = std::max(result.most, result.size[d][k]);
    }
  }
  return result;
}

}  // namespace graze::narrow
