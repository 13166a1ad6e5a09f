#include "graze/rigid/distance/convex_distance.h"

#include <algorithm>
#include <cmath>

#include "graze/core/numeric/strict_arithmetic.h"
#include "graze/rigid/distance/simplex.h"

namespace graze::rigid {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr std::uint32_t max_iterations = 48;

// Returns the extreme vertex along n; the first one of several.
Support extreme(const PolytopeView& p, const Vec3& n) {
  const double *x = p.x, *y = x + p.stride, *z = y + p.stride;
  double values[PolytopeView::max_vertices];
  for (std::uint32_t i = 0; i < p.stride; ++i) values[i] = n[0] * x[i] + n[1] * y[i] + n[2] * z[i];
  Support best{values[0], 0};
  for (std::uint32_t i = 1; i < p.size; ++i)
    if (values[i] > best.value) best = {values[i], i};
  return best;
}

// The vertices of a and b whose difference is a point of the simplex.
struct VertexPair {
  std::uint8_t a, b;
};

// Returns the direction from 0 to the closest point, which is `length` away. If the point is very
// close, its coordinates have few correct digits, and the normal of the triangle is more accurate.
Vec3 direction(const Simplex<VertexPair>& s, double length) {
  const auto& p = s.points;
  if (s.size == 3 && length < 0x1p-10) {
    const Vec3 across = (p[1] - p[0]).cross(p[2] - p[0]).normalized();
    if (const double cosine = across.dot(s.closest) / length; std::abs(cosine) > 0.9)
      return cosine > 0 ? across : Vec3(-across);
  }
  return s.closest / length;
}

}  // namespace

// err. Let d = A x + oa - B y - ob be a difference in the world and e = x - R y - o the same
// difference in the coordinates of a; A, B, oa, ob are the placements. Up to signs,
// A e = d + (A R - B) y + (A o - (ob - oa)), and ||A e| - |e|| <= |A^T A - I| |e|, because the
// singular values of A are within |A^T A - I| of 1 if that is below 1/2. The three residuals are
// measured. Their rounding is below 2^-49 of their terms, which are sums of at most 4 terms of size
// <= 2 (entries of rotations are at most 1.01) and 2 (|oa| + |ob|).
//
// slack. n.(x - R y - o) is computed as n.x - m.y - n.o with m = R^T n. In units of u |n|_1, with
// u = 2^-53, the errors are: n.x 3.01 reach_a; n.o 3.01 |o|; m 3.1 in each coordinate, and so m.y
// (3 * 3.1 + 3.01 * 1.8) reach_b; the two differences 2.1 times the sum of the terms. Together less
// than 18 (reach_a + reach_b + |o|). A point of a hull is computed from weights whose sum is 1
// within 4 u by a sum of four products: it is within 10 u reach sqrt(3) of a point in exact
// arithmetic, and R y + o within 6 times that; together less than 64 u times the sum. 2^-47 = 64 u
// covers both, and |n|_1 <= 2 |n| gives the factor 2 of 2^-46.
RelativePlacement relative_placement(const Placement& a, double reach_a, const Placement& b,
                                     double reach_b) {
  RelativePlacement r;
  const Vec3 between = b.offset - a.offset;
  r.rotation = a.rotation.transpose() * b.rotation;
  r.offset = a.rotation.transpose() * between;
  const Eigen::Matrix3d shear = a.rotation.transpose() * a.rotation - Eigen::Matrix3d::Identity();
  const double far = a.offset.cwiseAbs().maxCoeff() + b.offset.cwiseAbs().maxCoeff();
  const double sum = reach_a + 2 * reach_b + 2 * far;
  r.err = 0x1p-44 * sum + 4 * sum * shear.cwiseAbs().sum() +
          2 * reach_b * (a.rotation * r.rotation - b.rotation).cwiseAbs().sum() +
          (a.rotation * r.offset - between).cwiseAbs().sum() + 0x1p-1070;
  r.slack = 0x1p-46 * (reach_a + reach_b + r.offset.cwiseAbs().maxCoeff()) + 0x1p-1070;
  const double size = std::max(r.slack * 0x1p46, 0x1p-1000);
  r.scale = std::scalbn(1.0, -std::ilogb(size));
  return r;
}

// The difference of the centres has an error below `slack`; its length and the radii have relative
// errors below 2^-49.
double ball_separation(const HullNode& a, const HullNode& b, const RelativePlacement& placement) {
  const Vec3 d = a.centre - (placement.rotation * b.centre + placement.offset);
  const double gap = (placement.scale * d).norm() / placement.scale;
  const double bound = gap - (a.radius + b.radius) - placement.slack;
  return bound - 0x1p-48 * (gap + a.radius + b.radius);
}

double separation_along(const PolytopeView& a, const PolytopeView& b,
                        const RelativePlacement& placement, const Vec3& n) {
  const Vec3 m = placement.rotation.transpose() * n;
  const double lo = -extreme(a, -n).value - extreme(b, m).value - n.dot(placement.offset);
  // |n| and the quotient have relative errors below 2^-50.
  const double length = n.norm();
  if (!(length > 0x1p-500 && length < 0x1p500)) return -inf;
  const double bound = (lo / length - placement.slack) - a.margin - b.margin;
  return std::isfinite(bound) ? bound - 0x1p-49 * std::abs(bound) : -inf;
}

ConvexDistance convex_distance(const PolytopeView& a, const PolytopeView& b,
                               const RelativePlacement& placement, const Witness& warm,
                               double enough, double tol) {
  const Vec3& offset = placement.offset;
  const double scale = placement.scale;
  ConvexDistance result;
  const auto add = [&](Simplex<VertexPair>& to, std::uint32_t i, std::uint32_t j) {
    to.points[to.size] = scale * (a.vertex(i) - (placement.rotation * b.vertex(j) + offset));
    to.from[to.size] = {static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(j)};
    ++to.size;
  };
  Simplex<VertexPair> s;
  for (std::uint32_t k = 0; k < warm.size; ++k)
    if (warm.a[k] < a.size && warm.b[k] < b.size) add(s, warm.a[k], warm.b[k]);
  Place place = s.size > 0 ? reduce(s) : Place::lost;
  const bool inside_by_rounding =
      place == Place::inside && !(s.closest.norm() <= scale * placement.slack);
  if (place == Place::lost || inside_by_rounding) {
    s.size = 0;
    add(s, 0, 0);
    place = reduce(s);
  }

  const double margins = a.margin + b.margin;
  double best_lo = -inf;
  while (place == Place::outside) {
    ++result.iterations;
    const Vec3 v = s.closest;
    const double sq = v.squaredNorm(), length = std::sqrt(sq);
    if (!(length > 0x1p-400)) break;
    const Vec3 n = direction(s, length), m = placement.rotation.transpose() * n;
    const Support on_a = extreme(a, -n), on_b = extreme(b, m);
    const double bare = -on_a.value - on_b.value - n.dot(offset) - placement.slack;
    if (bare > best_lo) {
      best_lo = bare;
      result.normal = n;
    }
    const double gap = length / scale;
    if (bare - margins > enough || gap - bare <= tol * gap || s.size == 4 ||
        result.iterations == max_iterations)
      break;
    bool known = false;
    for (std::uint32_t k = 0; k < s.size; ++k)
      known = known || (s.from[k].a == on_a.vertex && s.from[k].b == on_b.vertex);
    if (known) break;
    Simplex<VertexPair> next = s;
    add(next, on_a.vertex, on_b.vertex);
    place = reduce(next);
    if (place == Place::lost || !(next.closest.squaredNorm() < sq)) break;
    s = next;
  }
  // |n| is 1 within 2^-51. The omitted division by |n| and the margins add errors of that size.
  if (const double lo = best_lo - margins; lo > 0) result.lo = lo * (1 - 0x1p-48);
  for (std::uint32_t k = 0; k < s.size; ++k) {
    result.point_a += s.weights[k] * a.vertex(s.from[k].a);
    result.point_b += s.weights[k] * b.vertex(s.from[k].b);
  }
  result.point_b = placement.rotation * result.point_b + offset;
  const double hi = (scale * (result.point_a - result.point_b)).norm() / scale;
  if (std::isfinite(hi)) result.hi = hi * (1 + 0x1p-49) + placement.slack;
  result.witness.size = static_cast<std::uint8_t>(s.size);
  for (std::uint32_t k = 0; k < s.size; ++k) {
    result.witness.a[k] = s.from[k].a;
    result.witness.b[k] = s.from[k].b;
  }
  return result;
}

}  // namespace graze::rigid
