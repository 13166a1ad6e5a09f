#pragma once

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "graze/core/numeric/strict_arithmetic.h"
#include "graze/vec3.h"

namespace graze::rigid {

// Points of the difference a - b. `closest`, the sum of weight * point, is the point of their
// convex hull that is closest to 0.
template <class Source>
struct Simplex {
  std::uint32_t size = 0;
  std::array<Vec3, 4> points;
  std::array<double, 4> weights{};
  std::array<Source, 4> from{};  // the two points whose difference it is
  Vec3 closest;
};

struct Weights {
  std::array<double, 3> w;
};

// Returns the barycentric coordinates of the point of a segment or triangle that is closest to 0.
// The regions are those of [Ericson 2005] 5.1.
inline Weights closest_on_segment(const Vec3& p, const Vec3& q) {
  const Vec3 d = q - p;
  const double s = -p.dot(d), length_sq = d.squaredNorm();
  if (!(s > 0)) return {{1, 0, 0}};
  if (s >= length_sq) return {{0, 1, 0}};
  return {{1 - s / length_sq, s / length_sq, 0}};
}

inline Weights closest_on_triangle(const Vec3& p, const Vec3& q, const Vec3& r) {
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

// Reduces the simplex to the face that has the point closest to 0, and sets that point. Returns
// `inside` if 0 is in the tetrahedron, as far as rounding allows to tell; `closest` is then 0 up to
// rounding. If the four points lie nearly in a plane, rounding hides their orientation: `inside`
// may be wrong, and `closest` is then some point of the tetrahedron, which may be far from 0. So
// callers use the result only if `closest` is closer to 0 than their last point. Returns `lost` if
// rounding made the numbers meaningless; s is then unusable.
template <class Source>
Place reduce(Simplex<Source>& s) {
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
    double best = std::numeric_limits<double>::infinity();
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
    if (std::isinf(best)) {  // 0 is inside
      double volumes[4], sum = 0;
      for (int i = 0; i < 4; ++i) {
        const auto& f = faces[i];
        volumes[i] = std::abs(p[f[0]].dot(p[f[1]].cross(p[f[2]])));
        sum += volumes[i];
      }
      if (!(sum > 0)) return Place::lost;
      s.closest = Vec3::Zero();
      for (int i = 0; i < 4; ++i) {
        const std::uint32_t corner = faces[i][3];
        s.weights[corner] = volumes[i] / sum;
        s.closest += s.weights[corner] * p[corner];
      }
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
    s.from[n] = s.from[i];
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

}  // namespace graze::rigid
