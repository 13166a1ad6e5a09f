#pragma once

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "graze/core/strict_arithmetic.h"
#include "graze/core/vec3.h"
#include "graze/narrow/pair_arithmetic.h"
#include "graze/narrow/separation_filter.h"

// Polynomials in time with certified errors, and their roots to the last bit: what the
// floating-point stages of separation_root are made of in both norms.
namespace graze::separation {

// Throughout: u = 2^-53; M = polygon.largest; E bounds the error of every coordinate of a corner
// at a time t. A coordinate of start or end is off by u M at most, and so is their exact mean; in
// fl((1-t) start + t end) the difference 1-t, the products and the sum add 3 u M: with second-order
// terms 5 u M. Between two times the exact corner is the exact mean of the exact ones, so the same
// E bounds the error of both ends of a piece of time and of everything linear between.
//
// The stages work where 2^-60 <= M <= 2^60 and 2^-200 <= d <= 2^60. Then nothing overflows: the
// largest products are of eight lengths. What underflows is below 2^-1074 and is multiplied by at
// most 6 lengths in fewer than 2^10 terms: less than 2^-700.
inline constexpr double u = 0x1p-53;
inline constexpr double floor_err = 0x1p-700;

inline double largest_of(const Vec3& x) {
  return x.cwiseAbs().maxCoeff();
}
inline double sum_of(const Vec3& x) {
  return x.cwiseAbs().sum();
}
// ---- a polynomial on a piece of time -----------------------------------------------------------

enum class Sign { positive, negative, falls, unknown };

// Bernstein coefficients, each off by at most err.
template <int degree>
struct Curve {
  std::array<double, degree + 1> c;
  double err;

  bool all_above(double bound) const {
    return std::all_of(c.begin(), c.end(), [&](double x) { return x > bound; });
  }
  bool all_below(double bound) const {
    return std::all_of(c.begin(), c.end(), [&](double x) { return x < bound; });
  }
  // `falls`: certainly positive, then at most one coefficient of unknown sign, then certainly
  // negative: one variation whatever that sign, so exactly one root, a simple one.
  Sign sign() const {
    if (all_above(err)) return Sign::positive;
    if (all_below(-err)) return Sign::negative;
    std::size_t i = 0;
    while (i <= degree && c[i] > err) ++i;
    if (i == 0) return Sign::unknown;
    if (!(c[i] < -err)) ++i;
    if (i > degree) return Sign::unknown;
    for (; i <= degree; ++i)
      if (!(c[i] < -err)) return Sign::unknown;
    return Sign::falls;
  }
};

// Vectors that change with time: Bernstein coefficients, each coordinate off by at most err; size
// bounds all coordinates.
template <int degree>
struct VectorCurve {
  std::array<Vec3, degree + 1> c;
  double err, size;

  void measure() {
    size = 0;
    for (const Vec3& x : c) size = std::max(size, largest_of(x));
  }
};

// x and y linear. Each coordinate is a difference of two products (or the mean of two such): the
// errors of the factors, 2 (|x| err_y + |y| err_x) + 2 err_x err_y, and 6 u |x||y| of rounding.
inline VectorCurve<2> cross(const VectorCurve<1>& x, const VectorCurve<1>& y) {
  VectorCurve<2> result;
  result.c = {x.c[0].cross(y.c[0]), 0.5 * (x.c[0].cross(y.c[1]) + x.c[1].cross(y.c[0])),
              x.c[1].cross(y.c[1])};
  result.err = 2.01 * (x.size * y.err + y.size * x.err) + 2.01 * x.err * y.err +
               7 * u * x.size * y.size + floor_err;
  result.measure();
  return result;
}

// Products of coefficients enter with weights that add up to 1. One dot product is off by
// 3 (|x| err_y + |y| err_x + err_x err_y) and 3 * 3 u |x||y| of rounding; the weights, their
// products and up to five sums add less than 3 * 9 u |x||y|.
inline double dot_err(double x_size, double x_err, double y_size, double y_err) {
  return 3.02 * (x_size * y_err + y_size * x_err + x_err * y_err) + 40 * u * x_size * y_size +
         floor_err;
}
inline Curve<2> dot(const VectorCurve<1>& x, const VectorCurve<1>& y) {
  return {{x.c[0].dot(y.c[0]), 0.5 * (x.c[0].dot(y.c[1]) + x.c[1].dot(y.c[0])), x.c[1].dot(y.c[1])},
          dot_err(x.size, x.err, y.size, y.err)};
}
inline Curve<3> dot(const VectorCurve<1>& x, const VectorCurve<2>& y) {
  return {{x.c[0].dot(y.c[0]), (x.c[1].dot(y.c[0]) + 2 * x.c[0].dot(y.c[1])) / 3,
           (2 * x.c[1].dot(y.c[1]) + x.c[0].dot(y.c[2])) / 3, x.c[1].dot(y.c[2])},
          dot_err(x.size, x.err, y.size, y.err)};
}
inline Curve<4> dot(const VectorCurve<2>& x, const VectorCurve<2>& y) {
  return {{x.c[0].dot(y.c[0]), 0.5 * (x.c[0].dot(y.c[1]) + x.c[1].dot(y.c[0])),
           (x.c[0].dot(y.c[2]) + 4 * x.c[1].dot(y.c[1]) + x.c[2].dot(y.c[0])) / 6,
           0.5 * (x.c[1].dot(y.c[2]) + x.c[2].dot(y.c[1])), x.c[2].dot(y.c[2])},
          dot_err(x.size, x.err, y.size, y.err)};
}
inline Curve<6> square(const Curve<3>& x) {
  double size = 0;
  for (const double c : x.c) size = std::max(size, std::abs(c));
  const auto& c = x.c;
  return {{c[0] * c[0], c[0] * c[1], (2 * c[0] * c[2] + 3 * c[1] * c[1]) / 5,
           (c[0] * c[3] + 9 * c[1] * c[2]) / 10, (2 * c[1] * c[3] + 3 * c[2] * c[2]) / 5,
           c[2] * c[3], c[3] * c[3]},
          dot_err(size, x.err, size, x.err)};
}

// a - d^2 b, b raised to the degree of a. Raising takes means with up to 6 roundings of the largest
// b, d^2 and the product 2, the difference 1 of both.
template <int degree>
Curve<degree> gap(const Curve<degree>& a, double d_sq, const Curve<degree>& b) {
  Curve<degree> result;
  double size = 0;
  for (std::size_t i = 0; i <= degree; ++i) {
    result.c[i] = a.c[i] - d_sq * b.c[i];
    size = std::max({size, std::abs(a.c[i]), 10 * d_sq * std::abs(b.c[i])});
  }
  result.err = (a.err + d_sq * b.err + 4 * u * size) * (1 + 0x1p-20) + floor_err;
  return result;
}
inline Curve<4> raised(const Curve<2>& x) {
  const auto& c = x.c;
  return {{c[0], 0.5 * (c[0] + c[1]), (c[0] + 4 * c[1] + c[2]) / 6, 0.5 * (c[1] + c[2]), c[2]},
          x.err};
}
inline Curve<6> raised(const Curve<4>& x) {
  const auto& c = x.c;
  return {
      {c[0], (c[0] + 2 * c[1]) / 3, (c[0] + 8 * c[1] + 6 * c[2]) / 15, (c[1] + 3 * c[2] + c[3]) / 5,
       (6 * c[2] + 8 * c[3] + c[4]) / 15, (2 * c[3] + c[4]) / 3, c[4]},
      x.err};
}

// ---- a root ------------------------------------------------------------------------------------

// A narrow certified bracket around the root of a curve, and bounds of its derivative there.
struct Bracket {
  double lo, hi, t;         // t inside, near the root
  double rate_lo, rate_hi;  // both negative
};

// Where a Bernstein curve with opposite signs at its ends crosses 0, roughly.
template <int degree>
double crossing(const Curve<degree>& curve) {
  double s = curve.c.front() / (curve.c.front() - curve.c.back());
  for (int k = 0; k < 3; ++k) {  // Newton's method, value and slope by de Casteljau's scheme
    auto c = curve.c;
    double slope = 0;
    for (std::size_t n = degree; n > 0; --n) {
      if (n == 1) slope = degree * (c[1] - c[0]);
      for (std::size_t j = 0; j < n; ++j) c[j] = (1 - s) * c[j] + s * c[j + 1];
    }
    const double next = s - c[0] / slope;
    if (!(next >= 0 && next <= 1)) break;
    s = next;
  }
  return s;
}

// For a curve with one root in [lo, hi], where it falls; with_curve(lo, hi, visit) calls visit with
// its coefficients on a part of that. Pieces shrink around the root to 2^12 times the width that
// rounding leaves uncertain, or until the rate is known to 1 in 1000.
template <class WithCurve>
std::optional<Bracket> bracket_root(WithCurve&& with_curve, double lo, double hi) {
  for (int i = 0; i < 12; ++i) {
    Bracket result{lo, hi, 0, 0, 0};
    bool certain = false, done = false;
    with_curve(lo, hi, [&]<int degree>(const Curve<degree>& gap) {
      const double first = gap.c.front(), last = gap.c.back(), width = hi - lo;
      certain = first > gap.err && last < -gap.err;
      if (!certain) return;
      result.t = std::clamp(lo + crossing(gap) * width, lo, hi);
      double least = gap.c[1] - gap.c[0], most = least;
      for (std::size_t k = 1; k < degree; ++k) {
        least = std::min(least, gap.c[k + 1] - gap.c[k]);
        most = std::max(most, gap.c[k + 1] - gap.c[k]);
      }
      // A difference of two coefficients is off by 2 err and a rounding, the width by 2 u hi.
      result.rate_lo = (least - 2.01 * gap.err) * degree / (width - 4 * u * hi) * (1 + 8 * u);
      result.rate_hi = (most + 2.01 * gap.err) * degree / (width + 4 * u * hi) * (1 - 8 * u);
      const double rest = 0x1p12 * gap.err * width / (first - last) + 0x1p6 * u * hi;
      done = width < 4 * rest || result.rate_lo > 1.001 * result.rate_hi;
      const double half = std::max(rest, width * 0x1p-10);
      lo = std::max(lo, result.t - half);
      hi = std::min(hi, result.t + half);
    });
    if (!certain || (done && !(result.rate_hi < 0))) return std::nullopt;
    if (done) return result;
  }
  return std::nullopt;
}

// The value of a curve at a double, in pairs of doubles.
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

// Where a root lies relative to a double.
struct Cell {
  double at;
  int side;  // between `at` and its neighbour above (1) or below (-1); 0: not known which
};

// One interval-Newton step from t: root = t - curve(t) / rate for some rate between the bounds.
// With an error below u/8 of the result the root lies strictly between the neighbours of the double
// `at` (the nearer one is at least u away).
template <class ResidualAt>
std::optional<Cell> locate(ResidualAt&& residual_at, const Bracket& bracket) {
  double t = bracket.t;
  for (int i = 0; i < 2; ++i) {
    const Residual f = residual_at(t);
    const double rate = 0.5 * (bracket.rate_lo + bracket.rate_hi), slowest = -bracket.rate_hi;
    const double spread = 0.5 * (bracket.rate_hi - bracket.rate_lo) / slowest;
    const double step = f.value.hi / rate;
    const double err = (std::abs(step) * (spread + 8 * u) + f.err / slowest) * 1.0001;
    const PairNumber root = two_sum(t, -step);
    if (err < 0.125 * u * root.hi && root.hi > 0x1p-900)
      return Cell{root.hi, root.lo > err ? 1 : root.lo < -err ? -1 : 0};
    t = std::clamp(root.hi, bracket.lo, bracket.hi);
  }
  return std::nullopt;
}

}  // namespace graze::separation
