#pragma once

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>

#include "graze/core/numeric/bounded.h"
#include "graze/core/numeric/double_double.h"
#include "graze/core/numeric/newton_step.h"
#include "graze/core/numeric/strict_arithmetic.h"
#include "graze/core/numeric/unit_roundoff.h"
#include "graze/narrow/separation/separation_filter.h"
#include "graze/vec3.h"

// Values with certified errors during a short piece of time, and roots to the last bit, for the
// root stages of separation_root in both norms.
namespace graze::narrow::separation {

// Throughout: u = 2^-53; M = polygon.largest; E bounds the error of every coordinate of a corner
// at a time t. A coordinate of start or end is off by u M at most, and so is their exact mean; in
// fl((1-t) start + t end) the difference 1-t, the products and the sum add 3 u M: with second-order
// terms 5 u M.
//
// The stages work where 2^-60 <= M <= 2^60 and 2^-200 <= d <= 2^60. Then nothing overflows: the
// largest products are of eight lengths. A term that underflows is below 2^-1074. It is multiplied
// by at most 6 lengths, in fewer than 2^10 terms: less than 2^-700 in all.
using numeric::PairNumber;
using numeric::PairVector;
using numeric::two_product;
using numeric::two_sum;
using numeric::u;
inline constexpr double floor_err = 0x1p-700;

inline double largest_of(const Vec3& x) {
  return x.cwiseAbs().maxCoeff();
}

// ---- numbers and vectors with an error ---------------------------------------------------------

// Bounds are sums of a few positive terms: the factor covers their rounding, floor_err underflow.
struct Slack {
  static double of_sum(double err) { return 1.01 * err; }
  static double of_product(double err) { return 1.01 * err + floor_err; }
  static double when_read(double err) { return err; }
};
using Number = numeric::Bounded<Slack>;

// A vector whose coordinates are within err of those of x. `size` is the largest coordinate of |x|.
struct Vector {
  Vec3 x;
  double err, size;

  Vector() = default;
  Vector(const Vec3& value, double error) : x(value), err(error), size(largest_of(value)) {}
  Number operator[](int k) const { return {x[k], err}; }
};
// A coordinate of the difference is off by both errors and by its rounding.
inline Vector operator-(const Vector& a, const Vector& b) {
  Vector result(a.x - b.x, 0);
  result.err = 1.01 * (a.err + b.err + u * result.size);
  return result;
}
inline Vector operator+(const Vector& a, const Vector& b) {
  Vector result(a.x + b.x, 0);
  result.err = 1.01 * (a.err + b.err + u * result.size);
  return result;
}
// A difference of two products, of which each is off by |a| err_b + |b| err_a + err_a err_b and by
// u |a||b| of rounding; the difference is rounded by 2 u |a||b| more.
inline Vector cross(const Vector& a, const Vector& b) {
  return {a.x.cross(b.x), 2.02 * (a.size * b.err + b.size * a.err + a.err * b.err) +
                              5 * u * a.size * b.size + floor_err};
}
// Three products, rounded by 3 u |a||b|, and two sums, by (2 + 3) u |a||b|.
inline Number dot(const Vector& a, const Vector& b) {
  return {a.x.dot(b.x), 3.03 * (a.size * b.err + b.size * a.err + a.err * b.err) +
                            9 * u * a.size * b.size + floor_err};
}

// ---- a polygon during a short piece of time ----------------------------------------------------

// Corners, edges and their rates of change, at any time in [lo, hi]: the values at its middle, with
// an error that covers how far the corners move meanwhile.
class Piece {
 public:
  Piece(const MovingPolygon& polygon, double lo, double hi) : size_(polygon.size) {
    const double middle = 0.5 * (lo + hi);
    const double half = std::max(hi - middle, middle - lo) * (1 + 4 * u);
    const DifferencePolygon at = polygon.at(middle);
    // A rate is off by u M for its start, u M for its end and 2 u M of rounding.
    const double rate_err = 4.1 * u * polygon.largest;
    for (std::size_t i = 0; i < size_; ++i) {
      rate_[i] = Vector(polygon.end[i] - polygon.start[i], rate_err);
      corner_[i] = Vector(at.corners[i],
                          1.01 * (5 * u * polygon.largest + half * (rate_[i].size + rate_err)));
    }
  }

  std::size_t corners() const { return size_; }
  std::size_t edges() const { return size_ > 2 ? size_ : size_ - 1; }
  std::size_t next(std::size_t i) const { return i + 1 == size_ ? 0 : i + 1; }
  const Vector& corner(std::size_t i) const { return corner_[i]; }
  const Vector& corner_rate(std::size_t i) const { return rate_[i]; }
  Vector edge(std::size_t i) const { return corner_[next(i)] - corner_[i]; }
  Vector edge_rate(std::size_t i) const { return rate_[next(i)] - rate_[i]; }

 private:
  std::size_t size_;
  std::array<Vector, 4> corner_, rate_;
};

// ---- a root ------------------------------------------------------------------------------------

// The value of a polynomial at a double, in pairs of doubles.
struct Residual {
  PairNumber value;
  double err;
};

// Every corner at t in pairs: each difference of coordinates is exact, and e(0) + t (e(1) - e(0))
// costs three operations, (3*2 + 4*2 + 3*3) u^2 M < 24 u^2 M at most. From there an operation on
// pairs is off by at most uu (8 u^2 for a product, 6 u^2 for a sum) where one on doubles is by u.
inline constexpr double uu = 16 * u * u;
inline double corner_err(const MovingPolygon& polygon) {
  return 24 * u * u * polygon.largest;
}
inline PairVector corner_at(const MovingPolygon& polygon, std::size_t i, double t) {
  PairVector e;
  for (int k = 0; k < 3; ++k) {
    const auto difference = [&](std::size_t time) {
      return two_sum((*polygon.second[i][time])[k], -(*polygon.first[i][time])[k]);
    };
    const PairNumber start = difference(0);
    e[static_cast<std::size_t>(k)] = start + t * (difference(1) - start);
  }
  return e;
}
inline double pair_size(const PairVector& x) {
  return std::max({std::abs(x[0].hi), std::abs(x[1].hi), std::abs(x[2].hi)}) * (1 + 0x1p-40);
}
inline double pair_cross_err(double s, double s_err, double r, double r_err) {
  return 2.01 * (s * r_err + r * s_err + s_err * r_err) + 7 * uu * s * r;
}

// The position of a root relative to a double.
struct Cell {
  double at;
  int side;  // between `at` and its neighbour above (1) or below (-1); 0: unknown which

  // Doubles with the root strictly between them.
  double lo() const { return side > 0 ? at : neighbour(-1); }
  double hi() const { return side < 0 ? at : neighbour(1); }

 private:
  double neighbour(int step) const {  // at > 0
    return std::bit_cast<double>(std::bit_cast<std::int64_t>(at) + step);
  }
};

// Returns the cell of the root of a falling function, by interval-Newton steps; empty if they fail.
// The rate of the function is within rate.err of rate.value in the whole bracket. If the cell lies
// outside the bracket, so does the root, if there is one.
template <class ResidualAt>
std::optional<Cell> locate(ResidualAt&& residual_at, const Number& rate, const Bracket& bracket) {
  if (!rate.is_negative()) return std::nullopt;
  const double slowest = (-rate.value - rate.err) * (1 - 4 * u), spread = rate.err / slowest;
  double t = bracket.t;
  for (int i = 0; i < 3; ++i) {
    const Residual f = residual_at(t);
    const auto cell = numeric::newton_step(t, f.value.hi, f.err, rate.value, spread, slowest);
    if (cell.sharp) return Cell{cell.at, cell.above ? 1 : cell.below ? -1 : 0};
    const double next = std::clamp(cell.at, bracket.lo, bracket.hi);
    if (next == t) break;
    t = next;
  }
  return std::nullopt;
}

}  // namespace graze::narrow::separation
