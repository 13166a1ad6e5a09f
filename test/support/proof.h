#pragma once

#include <algorithm>
#include <array>
#include <boost/multiprecision/cpp_int.hpp>
#include <span>
#include <vector>

#include "graze/certificate.h"
#include "graze/query.h"

// Proofs about queries in rational arithmetic, as an independent check of the library. This header
// uses only the plain value types of the library's interface.
namespace graze::test {

using boost::multiprecision::cpp_int;
using boost::multiprecision::cpp_rational;
using Vector = std::array<cpp_int, 3>;

inline cpp_int dot(const Vector& p, const Vector& q) {
  return p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
}
inline Vector cross(const Vector& p, const Vector& q) {
  return {p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]};
}
inline Vector combine(const cpp_int& x, const Vector& p, const cpp_int& y, const Vector& q) {
  return {x * p[0] + y * q[0], x * p[1] + y * q[1], x * p[2] + y * q[2]};
}

constexpr std::size_t corners_of_first(const VertexFace&) {
  return 1;
}
constexpr std::size_t corners_of_first(const EdgeEdge&) {
  return 2;
}

// The differences x - y of all corners x of the first and y of the second primitive at the ends of
// the step, times a common positive number that makes them integers.
struct Differences {
  std::vector<Vector> start, end;

  template <class Query>
  explicit Differences(const Query& query) {
    cpp_int scale = 1;  // all denominators are powers of two
    for (const auto* points : {&query.start, &query.end})
      for (const Vec3& point : *points)
        for (const double x : point) scale = std::max(scale, denominator(cpp_rational(x)));
    const auto integer = [&](double x) { return numerator(cpp_rational(cpp_rational(x) * scale)); };
    for (std::size_t i = 0; i < corners_of_first(query); ++i)
      for (std::size_t j = corners_of_first(query); j < 4; ++j)
        for (auto [points, into] : {std::pair(&query.start, &start), std::pair(&query.end, &end)}) {
          Vector& d = into->emplace_back();
          for (int k = 0; k < 3; ++k)
            d[static_cast<std::size_t>(k)] = integer((*points)[i][k]) - integer((*points)[j][k]);
        }
  }

  // Returns the differences at time t, times the denominator of t.
  std::vector<Vector> at(const cpp_rational& t) const {
    std::vector<Vector> d;
    for (std::size_t m = 0; m < start.size(); ++m)
      d.push_back(combine(denominator(t) - numerator(t), start[m], numerator(t), end[m]));
    return d;
  }
};

// Returns whether the pieces of the certificate prove that there is no contact in [0, t_max].
inline bool proves(const Certificate& certificate, const Differences& differences, double t_max) {
  if (certificate.verdict != Verdict::separated || certificate.t_max != t_max) return false;
  cpp_rational reached = 0;
  for (const CertificatePiece& piece : certificate.pieces) {
    cpp_rational end = 0;
    for (const double x : piece.end) end += cpp_rational(x);
    if (end <= reached || piece.direction.empty()) return false;
    const cpp_rational t0 = reached * cpp_rational(t_max), t1 = end * cpp_rational(t_max);
    reached = end;
    std::vector<std::array<cpp_rational, 3>> direction;
    for (const auto& terms : piece.direction) {
      auto& sum = direction.emplace_back();
      for (const Vec3& term : terms)
        for (std::size_t axis = 0; axis < 3; ++axis)
          sum[axis] += cpp_rational(term[static_cast<int>(axis)]);
    }
    const auto d0 = differences.at(t0), d1 = differences.at(t1);
    for (std::size_t m = 0; m < d0.size(); ++m)
      for (std::size_t k = 0; k <= direction.size(); ++k) {
        cpp_rational coefficient = 0;
        for (std::size_t axis = 0; axis < 3; ++axis) {
          if (k < direction.size())
            coefficient += direction[k][axis] * d0[m][axis] * denominator(t1);
          if (k > 0) coefficient += direction[k - 1][axis] * d1[m][axis] * denominator(t0);
        }
        if (coefficient <= 0) return false;
      }
  }
  return reached == 1;
}

// Returns whether there is an n with n.d > 0 for all d. If there is, the point of their hull
// nearest to the origin is such an n, and it is the foot of the perpendicular on the affine span of
// one, two or three of them. If there is none, the origin is in the hull.
inline bool separable(const std::vector<Vector>& d) {
  const auto works = [&](const Vector& n) {
    return std::all_of(d.begin(), d.end(), [&](const Vector& v) { return dot(n, v) > 0; });
  };
  for (const Vector& a : d) {
    if (works(a)) return true;
    for (const Vector& b : d) {
      const Vector e = combine(1, b, -1, a);
      if (works(combine(dot(e, e), a, -dot(a, e), e))) return true;
      for (const Vector& c : d)
        if (works(cross(e, combine(1, c, -1, a)))) return true;
    }
  }
  return false;
}

// Returns the rational of least denominator strictly between lo and hi.
inline cpp_rational simplest_between(const cpp_rational& lo, const cpp_rational& hi) {
  const cpp_int whole = numerator(lo) / denominator(lo);
  if (whole + 1 < hi) return whole + 1;
  if (lo == whole) {
    // Takes the least k with whole + 1/k < hi.
    const cpp_rational inverse = 1 / (hi - whole);
    return whole + cpp_rational(1, numerator(inverse) / denominator(inverse) + 1);
  }
  return whole + 1 / simplest_between(1 / (hi - whole), 1 / (lo - whole));
}

// Returns 1 if the origin is inside the tetrahedron, 0 if it is outside, -1 if on its boundary.
inline int contains_origin(const std::array<Vector, 4>& p) {
  int positive = 0, negative = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    const Vector &a = p[(k + 1) % 4], &b = p[(k + 2) % 4], &c = p[(k + 3) % 4];
    const int s = dot(a, cross(b, c)).sign() * (k % 2 == 0 ? 1 : -1);
    positive += s > 0;
    negative += s < 0;
  }
  if (positive == 4 || negative == 4) return 1;
  return separable({p.begin(), p.end()}) ? 0 : -1;
}

// Proves a contact strictly between the times t0 and t1 by the degree of the map F that takes
// (time, point of the first primitive, point of the second) to the difference of the points.
//
// Its domain is a prism (vertex-face) or a cube (edge-edge). F is affine on the bottom and the top
// and bilinear on each side, where its values lie in the hull of the four corners. If for every
// side that hull does not contain the origin, F on the boundary can be deformed, without passing
// the origin, into the map that is linear on the pieces of a triangulation. So both maps have the
// same degree at the origin. Modulo 2, the degree of the second map is the number of tetrahedra
// that contain the origin. If it is odd, F takes the value 0. This method cannot prove contacts at
// the border of a primitive, nor contacts without passing.
inline bool passes_between(const Differences& differences, const cpp_rational& t0,
                           const cpp_rational& t1) {
  auto d = differences.at(t0);
  const auto top = differences.at(t1);
  const std::size_t n = d.size();
  if (!separable(d) || !separable(top)) return false;
  for (Vector& v : d)
    for (cpp_int& x : v) x *= denominator(t1);
  for (const Vector& v : top) d.push_back(combine(denominator(t0), v, 0, v));

  // Corners m of the bottom, m + n of the top. A quadrilateral is numbered 00, 01, 10, 11.
  using Sides = std::vector<std::array<std::size_t, 2>>;
  using Tetrahedra = std::vector<std::array<std::size_t, 4>>;
  const Sides sides =
      n == 3 ? Sides{{0, 1}, {1, 2}, {2, 0}} : Sides{{0, 1}, {1, 3}, {3, 2}, {2, 0}};
  const Tetrahedra tetrahedra = n == 3 ? Tetrahedra{{0, 1, 2, 5}, {0, 1, 4, 5}, {0, 3, 4, 5}}
                                       : Tetrahedra{{0, 1, 3, 7}, {0, 1, 5, 7}, {0, 2, 3, 7},
                                                    {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 4, 6, 7}};
  for (const auto& [a, b] : sides)
    if (!separable({d[a], d[b], d[a + n], d[b + n]})) return false;
  int around = 0;
  for (const auto& [a, b, c, e] : tetrahedra) {
    const int inside = contains_origin({d[a], d[b], d[c], d[e]});
    if (inside < 0) return false;
    around += inside;
  }
  return around % 2 == 1;
}

// Searches for such a contact in shorter and shorter parts of the interval from t0 to t1. At most
// `budget` parts are halved; parts with a separating direction are skipped.
inline bool passes_within(const Differences& differences, const cpp_rational& t0,
                          const cpp_rational& t1, int& budget) {
  auto both = differences.at(t0);
  const auto later = differences.at(t1);
  both.insert(both.end(), later.begin(), later.end());
  if (separable(both)) return false;
  if (passes_between(differences, t0, t1)) return true;
  if (budget-- <= 0) return false;
  const cpp_rational middle = (t0 + t1) / 2;
  return passes_within(differences, t0, middle, budget) ||
         passes_within(differences, middle, t1, budget);
}

}  // namespace graze::test
