#pragma once

#include <algorithm>
#include <array>
#include <boost/multiprecision/cpp_int.hpp>
#include <vector>

#include "graze/mesh.h"

namespace graze::test {

using Rational = boost::multiprecision::cpp_rational;

// An independent judge of edges that pierce faces: solves p + s (q - p) = a + u (b - a) + v (c - a)
// in rational numbers by Cramer's rule. Pierced: one solution, 0 < s < 1, u > 0, v > 0, u + v < 1.
struct Piercing {
  bool pierced = false;
  double u = 0, v = 0;
};

inline Piercing piercing(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b,
                         const Vec3& c) {
  using Column = std::array<Rational, 3>;
  const auto difference = [](const Vec3& x, const Vec3& y) {
    Column result;
    for (int k = 0; k < 3; ++k) result[std::size_t(k)] = Rational(x[k]) - Rational(y[k]);
    return result;
  };
  const auto determinant = [](const Column& x, const Column& y, const Column& z) -> Rational {
    return x[0] * (y[1] * z[2] - y[2] * z[1]) - y[0] * (x[1] * z[2] - x[2] * z[1]) +
           z[0] * (x[1] * y[2] - x[2] * y[1]);
  };
  const Column back = difference(p, q), first = difference(b, a), second = difference(c, a),
               right = difference(p, a);
  const Rational all = determinant(back, first, second);
  if (all == 0) return {};
  const Rational s = determinant(right, first, second) / all,
                 u = determinant(back, right, second) / all,
                 v = determinant(back, first, right) / all;
  return {s > 0 && s < 1 && u > 0 && v > 0 && u + v < 1, u.convert_to<double>(),
          v.convert_to<double>()};
}

// Returns all pairs of an edge and a face without a common vertex that the edge pierces, sorted.
// Pairs whose boxes do not overlap are left out first.
inline std::vector<Pair> pierced_pairs(const Mesh& mesh, std::span<const Vec3> x) {
  std::vector<Pair> pairs;
  for (std::uint32_t e = 0; e < mesh.edges.size(); ++e)
    for (std::uint32_t f = 0; f < mesh.faces.size(); ++f) {
      const Edge& edge = mesh.edges[e];
      const Face& face = mesh.faces[f];
      if (std::find_first_of(edge.begin(), edge.end(), face.begin(), face.end()) != edge.end())
        continue;
      const Vec3 &p = x[edge[0]], &q = x[edge[1]], &a = x[face[0]], &b = x[face[1]],
                 &c = x[face[2]];
      const Vec3 lo = a.cwiseMin(b).cwiseMin(c), hi = a.cwiseMax(b).cwiseMax(c);
      if ((p.cwiseMax(q).array() < lo.array()).any() || (p.cwiseMin(q).array() > hi.array()).any())
        continue;
      if (piercing(p, q, a, b, c).pierced) pairs.push_back({e, f});
    }
  return pairs;
}

}  // namespace graze::test
