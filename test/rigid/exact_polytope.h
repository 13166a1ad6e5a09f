#pragma once

#include <vector>

#include "graze/rigid/distance/convex_distance.h"
#include "test/support/rational_distance.h"

// Distances of points, triangles and polytopes in rational arithmetic.
namespace graze::test {

inline RationalVec rational(const Vec3& x) {
  return {Rational(x[0]), Rational(x[1]), Rational(x[2])};
}

inline RationalVec placed(const rigid::RelativePlacement& placement, const Vec3& x) {
  RationalVec y = rational(placement.offset);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k)
      y[i] += Rational(placement.rotation(int(i), int(k))) * Rational(x[int(k)]);
  return y;
}

// Returns the squared distance of 0 from the hull of up to three points.
inline Rational distance_sq_from_zero(const std::vector<RationalVec>& e) {
  const auto segment = [](const RationalVec& p, const RationalVec& q) {
    const RationalVec d = q - p;
    const Rational length_sq = dot(d, d);
    if (length_sq == 0) return dot(p, p);
    const Rational s = std::clamp<Rational>(-dot(p, d) / length_sq, 0, 1);
    const RationalVec x = along(p, d, s);
    return dot(x, x);
  };
  if (e.size() == 1) return dot(e[0], e[0]);
  if (e.size() == 2) return segment(e[0], e[1]);
  const RationalVec n = cross(e[1] - e[0], e[2] - e[0]);
  if (const Rational size = dot(n, n); size != 0) {
    const Rational offset = dot(e[0], n);
    const RationalVec foot{offset / size * n[0], offset / size * n[1], offset / size * n[2]};
    bool inside = true;
    for (std::size_t i = 0; i < 3; ++i)
      inside = inside && dot(n, cross(e[(i + 1) % 3] - e[i], foot - e[i])) >= 0;
    if (inside) return offset * offset / size;
  }
  return std::min({segment(e[0], e[1]), segment(e[1], e[2]), segment(e[2], e[0])});
}

// Returns the squared distance of two triangles with corners x and y.
inline Rational triangles_distance_sq(const std::vector<RationalVec>& x,
                                      const std::vector<RationalVec>& y) {
  Rational best = dot(x[0] - y[0], x[0] - y[0]);
  const auto crosses = [](const RationalVec& p, const RationalVec& q,
                          const std::vector<RationalVec>& t) {
    const RationalVec d = q - p, u = t[1] - t[0], v = t[2] - t[0], r = p - t[0];
    const Rational det = -dot(d, cross(u, v));
    if (det == 0) return false;  // parallel: any contact is also one of edges or corners
    const Rational s = dot(r, cross(u, v)) / det, a = -dot(d, cross(r, v)) / det,
                   b = -dot(d, cross(u, r)) / det;
    return s >= 0 && s <= 1 && a >= 0 && b >= 0 && a + b <= 1;
  };
  for (std::size_t i = 0; i < 3; ++i) {
    if (crosses(x[i], x[(i + 1) % 3], y) || crosses(y[i], y[(i + 1) % 3], x)) return 0;
    best = std::min(best, distance_sq_from_zero({y[0] - x[i], y[1] - x[i], y[2] - x[i]}));
    best = std::min(best, distance_sq_from_zero({x[0] - y[i], x[1] - y[i], x[2] - y[i]}));
    for (std::size_t j = 0; j < 3; ++j) {
      const RationalVec &p = x[i], &q = x[(i + 1) % 3], &r = y[j], &s = y[(j + 1) % 3];
      // The distance of two edges is that of 0 from the parallelogram of their differences, here
      // divided into two triangles.
      best = std::min({best, distance_sq_from_zero({r - p, s - p, s - q}),
                       distance_sq_from_zero({r - p, s - q, r - q})});
    }
  }
  return best;
}

// Returns up to four points as a polytope. `storage` holds its coordinates.
inline rigid::PolytopeView view_of(std::span<const Vec3> points, std::array<double, 12>& storage) {
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t k = 0; k < 3; ++k)
      storage[4 * k + i] = points[std::min(i, points.size() - 1)][int(k)];
  return {storage.data(), 4, static_cast<std::uint32_t>(points.size()), 0};
}

// Returns the relative placement of two bodies at the identity.
inline rigid::RelativePlacement in_place(double reach) {
  const rigid::Placement identity{Eigen::Matrix3d::Identity(), Vec3::Zero()};
  return rigid::relative_placement(identity, reach, identity, reach);
}

// Returns whether 0 lies in the hull of up to four points, or within the margin of it.
inline bool zero_is_in(const std::vector<RationalVec>& e, const Rational& margin_sq) {
  if (e.size() < 4) return distance_sq_from_zero(e) <= margin_sq;
  const auto volume = [](const RationalVec& a, const RationalVec& b, const RationalVec& c,
                         const RationalVec& d) { return dot(b - a, cross(c - a, d - a)); };
  const RationalVec zero{};
  const Rational whole = volume(e[0], e[1], e[2], e[3]);
  const std::array<Rational, 4> parts = {
      volume(zero, e[1], e[2], e[3]) * whole, volume(e[0], zero, e[2], e[3]) * whole,
      volume(e[0], e[1], zero, e[3]) * whole, volume(e[0], e[1], e[2], zero) * whole};
  if (whole != 0 && *std::min_element(parts.begin(), parts.end()) >= 0) return true;
  for (std::size_t skip = 0; skip < 4; ++skip) {
    std::vector<RationalVec> face = e;
    face.erase(face.begin() + static_cast<std::ptrdiff_t>(skip));
    if (distance_sq_from_zero(face) <= margin_sq) return true;
  }
  return false;
}

// Returns whether the point provably lies within the margin of the polytope: in a simplex of its
// vertices. Tries the last simplex of the search for the closest point first, then all others.
inline bool contains(const rigid::PolytopeView& polytope, const Vec3& point, double reach) {
  for (std::uint32_t i = 0; i < polytope.size; ++i)
    if (polytope.vertex(i) == point) return true;
  std::array<double, 12> storage;
  const rigid::PolytopeView alone = view_of({&point, 1}, storage);
  const Rational margin_sq = Rational(polytope.margin) * polytope.margin;
  const rigid::Witness w =
      rigid::convex_distance(alone, polytope, in_place(reach), {}, 2 * reach, 0).witness;
  std::vector<RationalVec> all, found;
  for (std::uint32_t i = 0; i < polytope.size; ++i)
    all.push_back(rational(polytope.vertex(i)) - rational(point));
  for (std::uint32_t i = 0; i < w.size; ++i) found.push_back(all[w.b[i]]);
  if (zero_is_in(found, margin_sq)) return true;
  const std::size_t n = all.size();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j)
      for (std::size_t k = j + 1; k < n; ++k)
        for (std::size_t l = k + 1; l < n; ++l)
          if (zero_is_in({all[i], all[j], all[k], all[l]}, margin_sq)) return true;
  return false;
}

}  // namespace graze::test
