#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "graze/core/numeric/double_double.h"
#include "graze/core/numeric/unit_roundoff.h"
#include "graze/exact/arena/turning_paths.h"

namespace graze::narrow {

// The rotations of a query by one parameter, in doubles: one primitive turns or both do, at the
// same speed. The axes are those of exact::SharedTurn divided by 2^K (exact::HalfTurn), so that
// |n|^2 is in [1/2, 2).
struct RoughTurn {
  double rate = 0;              // the speed of theta, in radians per step, > 0
  std::array<bool, 2> turns{};  // which primitives turn
  std::array<std::array<double, 3>, 2> axes{};
  bool exact = false;  // otherwise a component of an axis may be off by 2^-52 of itself
};

// Returns the rotations without integers where that is possible: one primitive turns, or both turn
// about axes whose directions are equal or opposite as doubles. The axes are then exact.
//
// exact::shared_turn() scales an axis to integers by a power of two, or to length 1 if it is a
// coordinate axis. So do the lines below. |n|^2 < 12 after the first scaling, computed with an
// error below 2^-40; near a limit between two values of K there is no answer.
inline std::optional<RoughTurn> rough_turn(const std::array<Turn, 2>& turns) {
  const double angle[2] = {std::abs(turns[0].angle), std::abs(turns[1].angle)};
  if (turns[0].way != turns[1].way || (angle[0] != 0 && angle[1] != 0 && angle[0] != angle[1]))
    return {};
  RoughTurn result{std::max(angle[0], angle[1]), {angle[0] != 0, angle[1] != 0}, {}, true};
  if (result.rate == 0) return {};
  for (std::size_t i = 0; i < 2; ++i) {
    if (!result.turns[i]) continue;
    Vec3 n = turns[i].angle < 0 ? Vec3(-turns[i].axis) : turns[i].axis;
    const double most = n.lpNorm<Eigen::Infinity>();
    if (!(most > 0x1p-500 && most < 0x1p500)) return {};
    const bool coordinate_axis = (n.array() != 0).count() == 1;
    int exponent = -std::ilogb(most);
    double length_sq = 0;
    for (double& x : n) {
      if (coordinate_axis && x != 0) x = x < 0 ? -1 : 1;
      if (!coordinate_axis) x = std::ldexp(x, exponent);
      if (x != 0 && std::abs(x) < 0x1p-300) return {};
      length_sq += x * x;
    }
    if (std::abs(length_sq - 2) < 0x1p-40 || std::abs(length_sq - 8) < 0x1p-40) return {};
    const double factor = length_sq < 2 ? 1 : length_sq < 8 ? 0.5 : 0.25;
    for (std::size_t k = 0; k < 3; ++k) result.axes[i][k] = factor * n[static_cast<int>(k)];
  }
  const auto &a = result.axes[0], &b = result.axes[1];
  const bool same = a == b || a == std::array{-b[0], -b[1], -b[2]};
  if (result.turns[0] && result.turns[1] && !same) return {};
  return result;
}

// Returns the rotations in doubles; empty if nothing turns or one primitive turns at twice the
// speed.
inline std::optional<RoughTurn> rough_turn(const exact::SharedTurn& turn) {
  if (turn.rate == 0 || turn.speeds[0] == 2 || turn.speeds[1] == 2) return {};
  RoughTurn result{turn.rate, {turn.speeds[0] != 0, turn.speeds[1] != 0}, {}, false};
  const int scale = exact::HalfTurn::scale(turn.length_sq);
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t k = 0; k < 3; ++k)
      if (result.turns[i]) result.axes[i][k] = exact::approximate(turn.axes[i][k], -scale);
  return result;
}

// A bound of the size of a number. Sums and differences add sizes.
struct Magnitude {
  double x;

  friend Magnitude operator+(Magnitude a, Magnitude b) { return {a.x + b.x}; }
  friend Magnitude operator-(Magnitude a, Magnitude b) { return {a.x + b.x}; }
  friend Magnitude operator*(Magnitude a, Magnitude b) { return {a.x * b.x}; }
};

// Return a double, and the difference of two doubles, as a number of type Number. Both are exact,
// except that a difference in doubles or Magnitudes has one rounding.
template <class Number>
Number number(double x) {
  if constexpr (std::is_same_v<Number, numeric::PairNumber>) return {x, 0};
  if constexpr (std::is_same_v<Number, Magnitude>) return {std::abs(x)};
  if constexpr (std::is_same_v<Number, double>) return x;
}
template <class Number>
Number difference(double x, double y) {
  if constexpr (std::is_same_v<Number, numeric::PairNumber>)
    return numeric::two_sum(x, -y);
  else
    return number<Number>(x - y);
}

// The differences e of a query on one half-turn, times a common positive weight, as control points
// of quadratic Bézier curves in y: vector, control point, coordinate.
//
// The positions times w = c^2 + L s^2 have, with (c, s) divided by 2^(K + range) and n by 2^K
// (turning_paths.h), the Bernstein forms of c = {1, 1 - r} and s = {0, r} with r = 2^-range: c^2 =
// {1, 1 - r, (1 - r)^2}, c s = {0, r / 2, r (1 - r)}, s^2 = {0, 0, r^2}. Coordinates are taken
// relative to a point on an axis, which changes no difference.
//
// Roundings on the way of a term, where n may count for one, L = n.n for 5: on half-turn 1, v (1)
// becomes 2 n (n.v) - L v, each product with at most 7, the difference with 8; n.v has 12, n (n.v)
// has 14, n x v has 11; (1 - r)^2 has 1, L r^2 has 5, the weights have 6; a point relative to the
// origin has 1, times L 7, times a weight 14; a weight times v has 15; the sums add at most 3, the
// difference of two corners 1: 19 in all. So a coordinate in doubles is off by less than 20 u m,
// where m is the same expression in Magnitudes, and one in pairs of doubles, whose operations are
// off by at most 8 u^2, by less than 160 u^2 m.
template <class Number, class Query>
auto turning_differences(const Turning<Query>& query, const RoughTurn& turn,
                         const exact::HalfTurn& part) {
  using Vector = std::array<Number, 3>;
  const double r = std::ldexp(1.0, -part.range), rest = 1 - r;  // exact
  const Number one_rest = number<Number>(rest), cc = one_rest * one_rest,
               cs_1 = number<Number>(r),    // twice r / 2
      cs_2 = number<Number>(2 * r * rest),  // twice r (1 - r), exact
      ss = number<Number>(r * r), two = number<Number>(2);
  const auto dot = [](const Vector& a, const Vector& b) {
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
  };
  std::array<Vector, 2> axes;
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t k = 0; k < 3; ++k) axes[i][k] = number<Number>(turn.axes[i][k]);
  const std::size_t turning = turn.turns[0] ? 0 : 1;
  const Number length_sq = dot(axes[turning], axes[turning]), bent = length_sq * ss,
               weight = cc + bent, direct = cc - bent;
  const Vec3& origin = query.turns[turning].point;
  std::array<std::array<Vector, 3>, 4> corners;
  for (std::size_t c = 0; c < 4; ++c) {
    const std::size_t i = primitive_of<Query>(c);
    const bool turns = turn.turns[i];
    const Vec3 &x = query.corners[c], &point = turns ? query.turns[i].point : x;
    Vector base, v, along, across;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto axis = static_cast<int>(k);
      base[k] = difference<Number>(point[axis], origin[axis]);
      if (part.half == 1) base[k] = base[k] * length_sq;
      if (turns) v[k] = difference<Number>(x[axis], point[axis]);
    }
    auto& [first, second, third] = corners[c];
    if (!turns) {
      for (std::size_t k = 0; k < 3; ++k) {
        first[k] = base[k];
        second[k] = one_rest * base[k];
        third[k] = weight * base[k];
      }
      continue;
    }
    const Vector& n = axes[i];
    if (part.half == 1) {
      const Number twice = two * dot(n, v);
      for (std::size_t k = 0; k < 3; ++k) v[k] = n[k] * twice - v[k] * length_sq;
    }
    const Number twice_ss = two * (ss * dot(n, v));
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t l = (k + 1) % 3, m = (k + 2) % 3;
      along[k] = n[k] * twice_ss;
      across[k] = n[l] * v[m] - n[m] * v[l];
      first[k] = base[k] + v[k];
      second[k] = one_rest * first[k] + cs_1 * across[k];
      third[k] = (weight * base[k] + direct * v[k]) + (along[k] + cs_2 * across[k]);
    }
  }
  constexpr auto& layout = exact::Layout<Query>::differences;
  std::array<std::array<Vector, 3>, std::size(layout)> result;
  for (std::size_t d = 0; d < result.size(); ++d)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 3; ++k)
        result[d][j][k] = corners[layout[d][0]][j][k] - corners[layout[d][1]][j][k];
  return result;
}

// The differences e on one half-turn as the stages of exact_curved take them
// (simd/exact_curved-inl.h): `size` bounds the exact and the given control points, and these are
// within 4 u size of each other.
template <class Query>
struct TurningControl {
  static constexpr std::size_t vectors = exact::Layout<Query>::differences.size();
  double point[vectors][3][3];  // vector, control point, coordinate
  double size[vectors][3];      // vector, coordinate
  double most = 0;              // the largest size; not finite if there is no bound

  TurningControl(const Turning<Query>& query, const RoughTurn& turn, const exact::HalfTurn& part) {
    const auto points = turning_differences<double>(query, turn, part);
    const auto sizes = turning_differences<Magnitude>(query, turn, part);
    for (std::size_t d = 0; d < vectors; ++d)
      for (std::size_t k = 0; k < 3; ++k) {
        double largest = 0;
        for (std::size_t j = 0; j < 3; ++j) {
          point[d][j][k] = points[d][j][k];
          largest = std::max(largest, sizes[d][j][k].x);
          if (!std::isfinite(sizes[d][j][k].x)) most = std::numeric_limits<double>::infinity();
        }
        // 20 u m < 4 u (6 m), where the computed m is off by less than 20 u m.
        size[d][k] = 6 * largest;
        most = std::max(most, size[d][k]);
      }
  }
};

}  // namespace graze::narrow
