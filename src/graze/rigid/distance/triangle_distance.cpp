#include "graze/rigid/distance/triangle_distance.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "graze/core/numeric/strict_arithmetic.h"

namespace graze::rigid {
namespace {

struct Best {
  TriangleDistance result;
  double distance_sq = std::numeric_limits<double>::infinity();

  void offer(const Vec3& a, const Vec3& b) {
    const double d = (a - b).squaredNorm();
    if (!(d < distance_sq)) return;
    distance_sq = d;
    result = {a, b, 0};
  }
};

double clamped(double x) {
  return x > 0 ? (x < 1 ? x : 1) : 0;  // NaN: 0
}

struct Segments {
  double s, t;
};

// Returns the parameters of the closest points of two segments, s and t in [0, 1]: the segments are
// p + s d and q + t e.
Segments closest(const Vec3& p, const Vec3& d, const Vec3& q, const Vec3& e) {
  const Vec3 r = p - q;
  const double dd = d.dot(d), ee = e.dot(e), de = d.dot(e), dr = d.dot(r), er = e.dot(r);
  const double determinant = dd * ee - de * de;
  const auto best_t = [&](double s) { return ee > 0 ? clamped((de * s + er) / ee) : 0; };
  const auto best_s = [&](double t) { return dd > 0 ? clamped((de * t - dr) / dd) : 0; };
  if (determinant > 1e-6 * dd * ee) {
    const double s = clamped((de * er - ee * dr) / determinant), t = (de * s + er) / ee;
    if (t >= 0 && t <= 1) return {s, t};
    return {best_s(clamped(t)), clamped(t)};
  }
  // The segments are nearly parallel. The determinant has no correct digits left; its form by cross
  // products has. If that fails too, an end of a segment is among the closest points.
  const Vec3 across = d.cross(e);
  const double s = clamped(-r.cross(e).dot(across) / across.squaredNorm());
  const std::array<Segments, 5> tries = {
      {{0, best_t(0)}, {1, best_t(1)}, {best_s(0), 0}, {best_s(1), 1}, {s, best_t(s)}}};
  return *std::min_element(tries.begin(), tries.end(), [&](const Segments& x, const Segments& y) {
    return (r + x.s * d - x.t * e).squaredNorm() < (r + y.s * d - y.t * e).squaredNorm();
  });
}

// Returns whether the foot of the perpendicular from x lies strictly inside the triangle.
bool is_over(const Vec3& x, const Triangle& triangle, const Vec3& normal) {
  for (int i = 0; i < 3; ++i) {
    const Vec3 &from = triangle[std::size_t(i)], &to = triangle[std::size_t((i + 1) % 3)];
    if (!(normal.cross(to - from).dot(x - from) > 0)) return false;
  }
  return true;
}

// Offers `best` the corners of `other`, a triangle or a segment, with their feet on the triangle,
// and the points at which edges of `other` pass through the triangle. `flip`: the triangle is the
// second of the two.
template <std::size_t count>
void offer_face(const Triangle& triangle, const std::array<Vec3, count>& other, bool flip,
                Best& best) {
  const Vec3 normal = (triangle[1] - triangle[0]).cross(triangle[2] - triangle[0]);
  const double length_sq = normal.squaredNorm();
  if (!(length_sq > 0)) return;
  const auto offer = [&](const Vec3& on_face, const Vec3& point) {
    flip ? best.offer(point, on_face) : best.offer(on_face, point);
  };
  std::array<double, count> height;
  bool above = true, below = true;
  for (std::size_t i = 0; i < count; ++i) {
    height[i] = normal.dot(other[i] - triangle[0]);
    above = above && height[i] > 0;
    below = below && height[i] < 0;
  }
  for (std::size_t i = 0; i < count; ++i)
    if (height[i] * height[i] < best.distance_sq * length_sq && is_over(other[i], triangle, normal))
      offer(other[i] - normal * (height[i] / length_sq), other[i]);
  if (above || below) return;
  for (std::size_t i = 0; i < (count == 2 ? 1 : count); ++i) {
    const std::size_t j = (i + 1) % count;
    if ((height[i] > 0) == (height[j] > 0)) continue;
    const double share = clamped(height[i] / (height[i] - height[j]));
    const Vec3 x = other[i] + share * (other[j] - other[i]);
    if (is_over(x, triangle, normal)) {
      offer(x - normal * (normal.dot(x - triangle[0]) / length_sq), x);
    }
  }
}

}  // namespace

TriangleDistance triangle_distance(const Triangle& a, const Triangle& b) {
  Best best;
  for (int i = 0; i < 3; ++i) {
    const Vec3& p = a[std::size_t(i)];
    const Vec3 d = a[std::size_t((i + 1) % 3)] - p;
    for (int j = 0; j < 3; ++j) {
      const Vec3& q = b[std::size_t(j)];
      const Vec3 e = b[std::size_t((j + 1) % 3)] - q;
      const auto [s, t] = closest(p, d, q, e);
      const Vec3 on_a = p + s * d, on_b = q + t * e;
      best.offer(on_a, on_b);
      // If the other two corners lie behind the planes through these points, nothing is closer. The
      // planes of points that are too close are spoiled by rounding and prove nothing.
      const Vec3 between = on_b - on_a;
      if ((a[std::size_t((i + 2) % 3)] - on_a).dot(between) <= 0 &&
          (b[std::size_t((j + 2) % 3)] - on_b).dot(between) >= 0 &&
          between.squaredNorm() > 1e-12 * (d.squaredNorm() + e.squaredNorm())) {
        best.result.distance = std::sqrt(best.distance_sq);
        return best.result;
      }
    }
  }
  offer_face(a, b, false, best);
  offer_face(b, a, true, best);
  best.result.distance = std::sqrt(best.distance_sq);
  return best.result;
}

TriangleDistance segment_distance(const Segment& a, const Triangle& b) {
  Best best;
  const Vec3 d = a[1] - a[0];
  for (std::size_t j = 0; j < 3; ++j) {
    const Vec3& q = b[j];
    const Vec3 e = b[(j + 1) % 3] - q;
    const auto [s, t] = closest(a[0], d, q, e);
    const Vec3 on_a = a[0] + s * d, on_b = q + t * e;
    best.offer(on_a, on_b);
    // As above; the segment lies behind the plane through its closest point.
    const Vec3 between = on_b - on_a;
    if ((b[(j + 2) % 3] - on_b).dot(between) >= 0 &&
        between.squaredNorm() > 1e-12 * (d.squaredNorm() + e.squaredNorm())) {
      best.result.distance = std::sqrt(best.distance_sq);
      return best.result;
    }
  }
  offer_face(b, a, true, best);
  best.result.distance = std::sqrt(best.distance_sq);
  return best.result;
}

}  // namespace graze::rigid
