#include "graze/rigid/distance/convex_distance.h"

#include <algorithm>
#include <cmath>

#include "graze/core/numeric/strict_arithmetic.h"

namespace graze::rigid {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr std::uint32_t max_iterations = 48;

// Returns the extreme vertex along n; the first one of several.
Support extreme(const PolytopeView& p, const Vec3& n) {
  const double *x = p.x, *y = x + p.stride, *z = y + p.stride;
  double values[HullTree::max_vertices];
  for (std::uint32_t i = 0; i < p.stride; ++i) values[i] = n[0] * x[i] + n[1] * y[i] + n[2] * z[i];
  Support best{values[0], 0};
  for (std::uint32_t i = 1; i < p.size; ++i)
    if (values[i] > best.value) best = {values[i], i};
  return best;
}

// Points of the difference a - b. `closest`, the sum of weight * point, is the point of their
// convex hull that is closest to 0.
struct Simplex {
  std::uint32_t size = 0;
  std::array<Vec3, 4> points;
  std::array<double, 4> weights{};
  std::array<std::uint8_t, 4> a{}, b{};
  Vec3 closest;
};

struct Weights {
  std::array<double, 3> w;
};

// Return the barycentric coordinates of the point of a segment or triangle that is closest to 0.
// The regions are those of [Ericson 2005] 5.1.
Weights closest_on_segment(const Vec3& p, const Vec3& q) {
  const Vec3 d = q - p;
  const double s = -p.dot(d), length_sq = d.squaredNorm();
  if (!(s > 0)) return {{1, 0, 0}};
  if (s >= length_sq) return {{0, 1, 0}};
  return {{1 - s / length_sq, s / length_sq, 0}};
}

Weights closest_on_triangle(const Vec3& p, const Vec3& q, const Vec3& r) {
  const Vec3 pq = q - p, pr = r - p;
  const double d1 = -pq.dot(p), d2 = -pr.dot(p);
  if (d1 <= 0 && d2 <= 0) return {{1, 0, 0}};
  const double d3 = -pq.dot(q), d4 = -pr.dot(q);
  if (d3 >= 0 && d4 <= d3) return {{0, 1, 0}};
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return {{1 - d1 / (d1 - d3), d1 / (d1 - d3), 0}};
  const double d5 = -pq.dot(r), d6 = -pr.dot(r);
  if (d6 >= 0 && d5 <= d6) return {{0, 0, 1}};
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return {{1 - d2 / (d2 - d6), 0, d2 / (d2 - d6)}};
  const double va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
    const double s = (d4 - d3) / ((d4 - d3) + (d5 - d6));
    return {{0, 1 - s, s}};
  }
  const double sum = va + vb + vc;
  return {{1 - vb / sum - vc / sum, vb / sum, vc / sum}};
}

enum class Place { outside, inside, lost };

// Reduces the simplex to the face that has the point closest to 0, and sets that point. Inside: 0
// is in the tetrahedron. Lost: rounding made the numbers meaningless, and s is unusable.
Place reduce(Simplex& s) {
  const auto& p = s.points;
  const auto set = [&](const Weights& w, std::uint32_t i, std::uint32_t j, std::uint32_t k) {
    s.weights = {};
    s.weights[i] = w.w[0];
    s.weights[j] = w.w[1];
    if (k < 4) s.weights[k] = w.w[2];
  };
  if (s.size == 1) {
    s.weights = {1, 0, 0, 0};
  } else if (s.size == 2) {
    set(closest_on_segment(p[0], p[1]), 0, 1, 4);
  } else if (s.size == 3) {
    set(closest_on_triangle(p[0], p[1], p[2]), 0, 1, 2);
  } else {
    // Takes the closest of the faces that separate 0 from the fourth corner. Rounding may choose a
    // wrong face of a nearly flat tetrahedron; that costs tightness, not correctness.
    constexpr std::uint32_t faces[4][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}};
    double best = inf;
    std::array<double, 4> best_weights{};
    for (const auto& f : faces) {
      const Vec3 normal = (p[f[1]] - p[f[0]]).cross(p[f[2]] - p[f[0]]);
      const double to_zero = -normal.dot(p[f[0]]), to_other = normal.dot(p[f[3]] - p[f[0]]);
      if (to_zero * to_other > 0) continue;
      set(closest_on_triangle(p[f[0]], p[f[1]], p[f[2]]), f[0], f[1], f[2]);
      Vec3 x = Vec3::Zero();
      for (std::uint32_t i = 0; i < 4; ++i) x += s.weights[i] * p[i];
      if (const double sq = x.squaredNorm(); sq < best) {
        best = sq;
        best_weights = s.weights;
      }
    }
    if (best == inf) {  // 0 is inside
      double volumes[4], sum = 0;
      for (int i = 0; i < 4; ++i) {
        const auto& f = faces[i];
        volumes[i] = std::abs(p[f[0]].dot(p[f[1]].cross(p[f[2]])));
        sum += volumes[i];
      }
      if (!(sum > 0)) return Place::lost;
      for (int i = 0; i < 4; ++i) s.weights[faces[i][3]] = volumes[i] / sum;
      s.closest = Vec3::Zero();
      return Place::inside;
    }
    s.weights = best_weights;
  }
  double sum = 0;
  std::uint32_t n = 0;
  for (std::uint32_t i = 0; i < s.size; ++i) {
    if (!(s.weights[i] > 0)) continue;
    sum += s.weights[i];
    s.points[n] = p[i];
    s.weights[n] = s.weights[i];
    s.a[n] = s.a[i];
    s.b[n] = s.b[i];
    ++n;
  }
  s.size = n;
  s.closest = Vec3::Zero();
  for (std::uint32_t i = 0; i < n; ++i) {
    s.weights[i] /= sum;
    s.closest += s.weights[i] * p[i];
  }
  return n > 0 && s.closest.allFinite() ? Place::outside : Place::lost;
}

// Returns the direction from 0 to the closest point, which is `length` away. A short vector has few
// correct digits; the normal of the triangle is then more accurate.
Vec3 direction(const Simplex& s, double length) {
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
  const auto add = [&](Simplex& to, std::uint32_t i, std::uint32_t j) {
    to.points[to.size] = scale * (a.vertex(i) - (placement.rotation * b.vertex(j) + offset));
    to.a[to.size] = static_cast<std::uint8_t>(i);
    to.b[to.size] = static_cast<std::uint8_t>(j);
    ++to.size;
  };
  Simplex s;
  for (std::uint32_t k = 0; k < warm.size; ++k)
    if (warm.a[k] < a.size && warm.b[k] < b.size) add(s, warm.a[k], warm.b[k]);
  Place place = s.size > 0 ? reduce(s) : Place::lost;
  if (place == Place::lost) {
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
      known = known || (s.a[k] == on_a.vertex && s.b[k] == on_b.vertex);
    if (known) break;
    Simplex next = s;
    add(next, on_a.vertex, on_b.vertex);
    place = reduce(next);
    if (place == Place::lost || (place == Place::outside && !(next.closest.squaredNorm() < sq)))
      break;
    s = next;
  }
  // |n| is 1 within 2^-51. The division by |n|, which is omitted, and the margins add as much.
  if (const double lo = best_lo - margins; lo > 0) result.lo = lo * (1 - 0x1p-48);
  for (std::uint32_t k = 0; k < s.size; ++k) {
    result.point_a += s.weights[k] * a.vertex(s.a[k]);
    result.point_b += s.weights[k] * b.vertex(s.b[k]);
  }
  result.point_b = placement.rotation * result.point_b + offset;
  const double hi = (scale * (result.point_a - result.point_b)).norm() / scale;
  if (std::isfinite(hi)) result.hi = hi * (1 + 0x1p-49) + placement.slack;
  result.witness = {static_cast<std::uint8_t>(s.size), s.a, s.b};
  return result;
}

}  // namespace graze::rigid
