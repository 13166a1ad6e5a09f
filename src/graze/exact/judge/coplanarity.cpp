#include "graze/exact/judge/coplanarity.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "graze/core/numeric/unit_roundoff.h"
#include "graze/exact/judge/integer_motion.h"

namespace graze::exact {
namespace {

double power_of_two(int n) {  // n in [-1022, 1023]
  return std::bit_cast<double>(static_cast<std::uint64_t>(1023 + n) << 52);
}

// Sets err = u (fixed + 80 sum |c|), where u * fixed bounds |sum c_i t^i - exact| on [0, 1]. The
// second term covers the following, where c_i stands for |c_i| and S = 3 c3 + 2 c2 + c1:
//
//   value_at: rounding c3 t adds an error of u c3; adding c2 adds u (c3 + c2), and so does the
//     product with t; adding c1 and the product with t add u (c3 + c2 + c1) each; adding c0 adds
//     u (c3 + c2 + c1 + c0). The sum is u (6 c3 + 5 c2 + 3 c1 + c0).
//   extrema, promise (2): the computed ones are the exact roots of a quadratic q~ whose
//     coefficients differ from those of p' by at most 11 u S together (see extrema). Its integral
//     is monotone between them and within 11 u S of p, so p leaves the range of its values at the
//     ends of a piece by at most 22 u S.
//
// The total is u (72 c3 + 49 c2 + 25 c1 + c0); 80 u sum |c| also covers products of errors.
Cubic with_err(std::array<double, 4> c, double fixed) {
  const double sum = std::abs(c[0]) + std::abs(c[1]) + std::abs(c[2]) + std::abs(c[3]);
  return {c, numeric::u * (fixed + 80 * sum)};
}

}  // namespace

MovingVector MovingVector::with_exponent(int larger) const {
  const int shift = std::max(exponent - larger, -2000);
  const double first = power_of_two(shift / 2), second = power_of_two(shift - shift / 2);
  return {{at[0] * first * second, at[1] * first * second}, larger};
}

// The rounded difference of two doubles is within a factor 1 +- u of the exact one; it does not
// underflow. If it overflows, a quarter of it does not, and the error of scaling a coordinate by
// 1/4 (at most 2^-1074) is negligible relative to such a difference.
template <class Query>
MovingVector difference(const Query& query, std::size_t from, std::size_t to) {
  MovingVector result{{query.start[to] - query.start[from], query.end[to] - query.end[from]}};
  const auto largest = [&] {
    return std::max(result.at[0].template lpNorm<Eigen::Infinity>(),
                    result.at[1].template lpNorm<Eigen::Infinity>());
  };
  double size = largest();
  int quarters = 0;
  if (!(size <= std::numeric_limits<double>::max())) {
    result.at = {query.start[to] / 4 - query.start[from] / 4,
                 query.end[to] / 4 - query.end[from] / 4};
    size = largest();
    quarters = 2;
  }
  if (size == 0) return result;
  int exponent;
  std::frexp(size, &exponent);
  // Scales in two steps, since 2^-exponent itself may overflow.
  const double first = power_of_two(-exponent / 2), second = power_of_two(-exponent + exponent / 2);
  for (Vec3& vector : result.at) vector = vector * first * second;
  result.exponent = exponent + quarters;
  return result;
}

template MovingVector difference(const VertexFace&, std::size_t, std::size_t);
template MovingVector difference(const EdgeEdge&, std::size_t, std::size_t);

// With a = 3 c3, b = 2 c2, c = c1 and q = -(b + sign(b) sqrt(b^2 - 4ac)) / 2 the roots of p' are
// q/a and c/q. The computed ones are exact roots of a nearby quadratic; its distance from p' is
// bounded as follows.
//
// The discriminant is off by at most 2u (b^2 + 4|ac|), so q computed as q0 (1 + 2u) has the
// residual r = q^2 + bq + ac with |r| <= u (b^2 + 4|ac|) / 2 + 2u (2 q^2 + |bq|). As |q| >= |b|/2
// and |q| >= sqrt|ac|, |r/q| <= u (7|b| + 6 sqrt|ac|) <= u (7|b| + 3|a| + 3|c|). The quadratic
// a (t - x1) (t - x2) with x1 = q/a, x2 = c/q has the product c exactly, and its sum of roots errs
// by r/(aq); rounding x1 and x2 adds 2u|q| <= 2u (|b| + sqrt|ac|) and 2u|c|. In all this is less
// than 10u (|a| + |b| + |c|), plus u|a| for rounding 3 c3.
//
// If the computed discriminant is negative, the exact one is at most 16u ac; with c (1 + 4u) in
// place of c it is not positive. Underflow (all of a, b, c below 2^-500) makes p a constant up to
// err.
std::array<double, 2> Cubic::extrema() const {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const double a = 3 * c[3], b = 2 * c[2];
  const double discriminant = b * b - 4 * a * c[1];
  if (!(discriminant >= 0)) return {nan, nan};
  const double q = -(b + std::copysign(std::sqrt(discriminant), b)) / 2;
  const double x1 = q / a, x2 = c[1] / q;
  return x2 < x1 ? std::array{x2, x1} : std::array{x1, x2};
}

// Errors in units of u, where all components are at most 1 with an error of 1 unit:
//   n_ij = y_i cross z_j: products off by 3, so 8 with the subtraction; at most 2.
//   n_01 + n_10: 20; at most 4.
//   x . n_ij: products 8 + 2 + 2, three of them 36, the sums 4 + 6: 46; at most 6.
//   x . (n_01 + n_10): products 20 + 4 + 4, three of them 84, the sums 8 + 12: 104; at most 12.
//   b1, b2 (three times the inner Bernstein coefficients): 46 + 104 + 18 = 168; at most 18.
// With s = t (1 - t) <= 1/4 the polynomial b0 (1-t)^3 + b1 (1-t)^2 t + b2 (1-t) t^2 + b3 t^3 is off
// by 46 (1 - 3s) + 168 s <= 54. Powers of t: c1 is off by 18 + 36, c2 by 54 + 18 + 72, c3 by
// 12 + 36 + 48. In all 348.
Cubic coplanarity(const MovingVector& x, const MovingVector& y, const MovingVector& z) {
  const Vec3 n00 = y.at[0].cross(z.at[0]), n11 = y.at[1].cross(z.at[1]);
  const Vec3 middle = y.at[0].cross(z.at[1]) + y.at[1].cross(z.at[0]);
  const double b0 = x.at[0].dot(n00), b3 = x.at[1].dot(n11);
  const double b1 = x.at[1].dot(n00) + x.at[0].dot(middle);
  const double b2 = x.at[0].dot(n11) + x.at[1].dot(middle);
  return with_err({b0, b1 - 3 * b0, b2 - 2 * b1 + 3 * b0, (b3 - b0) + (b1 - b2)}, 360);
}

// In units of u as above: b0 and b2 are off by 8, b1 by 20, so their polynomial by
// 8 (1 - 2s) + 20 s <= 9; c1 by 8 more, c2 by 4 + 8 more. In all 29.
Cubic collinearity(const MovingVector& x, const MovingVector& y) {
  const Vec3 b0 = x.at[0].cross(y.at[0]), b2 = x.at[1].cross(y.at[1]);
  const Vec3 b1 = x.at[0].cross(y.at[1]) + x.at[1].cross(y.at[0]);
  Eigen::Index k;
  (b0.cwiseAbs() + b1.cwiseAbs() + b2.cwiseAbs()).maxCoeff(&k);
  return with_err({b0[k], b1[k] - 2 * b0[k], (b0[k] + b2[k]) - b1[k], 0}, 32);
}

// In units of u: the ends are off by 1, c1 by 2 more.
Cubic coincidence(const MovingVector& x) {
  Eigen::Index k;
  (x.at[0].cwiseAbs() + x.at[1].cwiseAbs()).maxCoeff(&k);
  return with_err({x.at[0][k], x.at[1][k] - x.at[0][k], 0, 0}, 4);
}

template <class Query>
bool always_coplanar(const Query& query) {
  const auto p = integer_motion(query);
  return dot(p[1] - p[0], cross(p[2] - p[0], p[3] - p[0])).is_zero();
}

template <class Query>
bool always_collinear(const Query& query, std::size_t i, std::size_t j, std::size_t k) {
  const auto p = integer_motion(query);
  const auto normal = cross(p[j] - p[i], p[k] - p[i]);
  return std::all_of(normal.begin(), normal.end(), [](const auto& n) { return n.is_zero(); });
}

template bool always_coplanar(const VertexFace&);
template bool always_coplanar(const EdgeEdge&);
template bool always_collinear(const VertexFace&, std::size_t, std::size_t, std::size_t);
template bool always_collinear(const EdgeEdge&, std::size_t, std::size_t, std::size_t);

}  // namespace graze::exact
