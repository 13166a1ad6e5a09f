#pragma once

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>

#include "graze/vec3.h"

namespace graze::test {

using Triangle = std::array<Vec3, 3>;

// Bounds on the distance of two triangles: it lies in [lower, upper]. lower <= 0 proves nothing.
struct Gap {
  double lower, upper;
};

namespace triangle_gap_parts {

struct Closest {
  Vec3 on_a, on_b;
  double distance_sq;
};

inline Closest make_closest(const Vec3& a, const Vec3& b) {
  return {a, b, (a - b).squaredNorm()};
}

inline double share_of(const Vec3& p, const Vec3& from, const Vec3& way) {
  const double length_sq = way.squaredNorm();
  return length_sq > 0 ? std::clamp(way.dot(p - from) / length_sq, 0.0, 1.0) : 0.0;
}

inline Closest segments(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1) {
  const Vec3 u = a1 - a0, v = b1 - b0, w = a0 - b0;
  const double uu = u.squaredNorm(), uv = u.dot(v), vv = v.squaredNorm();
  const double det = uu * vv - uv * uv;
  double s = det > 0 ? std::clamp((uv * v.dot(w) - vv * u.dot(w)) / det, 0.0, 1.0) : 0.0;
  // Each in turn, given the other.
  Vec3 a = a0 + s * u, b = b0 + share_of(a, b0, v) * v;
  s = share_of(b, a0, u);
  a = a0 + s * u;
  b = b0 + share_of(a, b0, v) * v;
  return make_closest(a, b);
}

// Returns a point of the triangle: the foot of p on its plane if the foot lies inside the triangle.
// Closest points on the border are found by the tests of segments.
inline Vec3 foot(const Vec3& p, const Triangle& t) {
  const Vec3 u = t[1] - t[0], v = t[2] - t[0], n = u.cross(v), w = p - t[0];
  const double nn = n.squaredNorm();
  if (!(nn > 0)) return t[0];
  const double y = std::clamp(w.cross(v).dot(n) / nn, 0.0, 1.0);
  const double z = std::clamp(u.cross(w).dot(n) / nn, 0.0, 1.0 - y);
  return t[0] + y * u + z * v;
}

}  // namespace triangle_gap_parts

// Returns bounds on the distance of two triangles. The candidates for the closest points are the
// feet of corners, the feet of points at which an edge crosses the plane of the other triangle, and
// the closest points of pairs of edges. Both points lie in their triangles up to rounding, so their
// distance is an upper bound. Their direction gives a lower bound that holds whatever the
// candidates are: |x - y| >= n.(x - y)/|n| for every n.
inline Gap triangle_gap(const Triangle& a, const Triangle& b) {
  using namespace triangle_gap_parts;
  Closest best = make_closest(a[0], b[0]);
  const auto offer = [&](const Closest& found) {
    if (found.distance_sq < best.distance_sq) best = found;
  };
  for (std::size_t i = 0; i < 3; ++i) {
    offer(make_closest(a[i], foot(a[i], b)));
    offer(make_closest(foot(b[i], a), b[i]));
    for (std::size_t j = 0; j < 3; ++j) offer(segments(a[i], a[(i + 1) % 3], b[j], b[(j + 1) % 3]));
  }
  const auto crossing = [](const Vec3& p, const Vec3& q, const Triangle& t) {
    const Vec3 n = (t[1] - t[0]).cross(t[2] - t[0]);
    const double at_p = n.dot(p - t[0]), at_q = n.dot(q - t[0]);
    return Vec3(p + (at_p == at_q ? 0 : std::clamp(at_p / (at_p - at_q), 0.0, 1.0)) * (q - p));
  };
  for (std::size_t i = 0; i < 3; ++i) {
    const Vec3 x = crossing(a[i], a[(i + 1) % 3], b), y = crossing(b[i], b[(i + 1) % 3], a);
    offer(make_closest(x, foot(x, b)));
    offer(make_closest(foot(y, a), y));
  }

  double extent = 0;
  for (const Vec3& corner : a) extent = std::max(extent, corner.lpNorm<Eigen::Infinity>());
  for (const Vec3& corner : b) extent = std::max(extent, corner.lpNorm<Eigen::Infinity>());
  // n.x is a sum of three products with an error of at most 3 * 2^-53 * 3 |n| extent. There are two
  // such sums and a quotient.
  const double rounding = 64 * 0x1p-53 * extent;
  double lower = -rounding;
  const auto try_direction = [&](const Vec3& n) {
    const double length = n.norm();
    if (!(length > 1e-150)) return;
    double lowest = n.dot(a[0]), highest = n.dot(b[0]);
    for (std::size_t i = 1; i < 3; ++i) {
      lowest = std::min(lowest, n.dot(a[i]));
      highest = std::max(highest, n.dot(b[i]));
    }
    lower = std::max(lower, (lowest - highest) / length * (1 - 1e-14) - rounding);
  };
  const Vec3 n = best.on_a - best.on_b;
  const double upper = n.norm() * (1 + 1e-14) + rounding;
  try_direction(n);
  if (lower < 0.999 * upper) {
    // For parallel triangles that nearly touch, n is dominated by rounding; their normals are more
    // accurate.
    const auto both_ways = [&](const Vec3& direction) {
      try_direction(n.dot(direction) < 0 ? -direction : direction);
    };
    for (const Triangle* t : {&a, &b}) both_ways(((*t)[1] - (*t)[0]).cross((*t)[2] - (*t)[0]));
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        both_ways((a[(i + 1) % 3] - a[i]).cross(b[(j + 1) % 3] - b[j]));
  }
  return {lower, upper};
}

}  // namespace graze::test
