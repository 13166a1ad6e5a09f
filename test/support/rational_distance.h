#pragma once

#include <array>
#include <boost/multiprecision/cpp_int.hpp>
#include <optional>
#include <stdexcept>
#include <vector>

#include "graze/query.h"

// Distances in rational arithmetic with a proof: a point of the polygon of differences is an upper
// bound on the distance, a direction a lower bound, and both must be equal. The proof uses neither
// polynomials nor roots nor features.
namespace graze::test {

using Rational = boost::multiprecision::cpp_rational;
using RationalVec = std::array<Rational, 3>;

inline RationalVec operator-(const RationalVec& a, const RationalVec& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
inline Rational dot(const RationalVec& a, const RationalVec& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
inline RationalVec cross(const RationalVec& a, const RationalVec& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline RationalVec along(const RationalVec& from, const RationalVec& step, const Rational& s) {
  return {from[0] + s * step[0], from[1] + s * step[1], from[2] + s * step[2]};
}

// Returns the corners of the polygon of differences at a time, in their order around it.
template <class Query>
std::vector<RationalVec> differences_at(const Query& query, const Rational& t) {
  std::vector<RationalVec> x;
  for (std::size_t i = 0; i < query.start.size(); ++i) {
    RationalVec point;
    for (std::size_t k = 0; k < 3; ++k) {
      const Rational start(query.start[i][int(k)]), end(query.end[i][int(k)]);
      point[k] = start + t * (end - start);
    }
    x.push_back(point);
  }
  if constexpr (std::is_same_v<Query, EdgeEdge>)
    return {x[2] - x[0], x[3] - x[0], x[3] - x[1], x[2] - x[1]};
  std::vector<RationalVec> e;
  for (std::size_t i = 1; i < x.size(); ++i) e.push_back(x[i] - x[0]);
  return e;
}

// Returns the square of the Euclidean distance. The closest point x of the polygon is the only one
// with x.(e - x) >= 0 for all corners e.
template <class Query>
Rational distance_sq(const Query& query, const Rational& t) {
  const auto e = differences_at(query, t);
  const auto is_closest = [&](const RationalVec& x) {
    for (const RationalVec& corner : e)
      if (dot(x, corner - x) < 0) return false;
    return true;
  };
  for (const RationalVec& corner : e)
    if (is_closest(corner)) return dot(corner, corner);
  for (std::size_t i = 0; i < e.size(); ++i) {
    const RationalVec step = e[(i + 1) % e.size()] - e[i];
    const Rational length_sq = dot(step, step);
    if (length_sq == 0) continue;
    const Rational s = -dot(e[i], step) / length_sq;
    const RationalVec x = along(e[i], step, s);
    if (s >= 0 && s <= 1 && is_closest(x)) return dot(x, x);
  }
  // The foot of the perpendicular on the plane. It is in the polygon if it is not beyond any edge.
  const RationalVec n = cross(e[1] - e[0], e.back() - e[0]);
  const Rational size = dot(n, n), offset = dot(e[0], n);
  if (size == 0) throw std::logic_error("no closest point");
  const RationalVec x{offset / size * n[0], offset / size * n[1], offset / size * n[2]};
  for (std::size_t i = 0; i < e.size(); ++i)
    if (dot(n, cross(e[i] - x, e[(i + 1) % e.size()] - x)) < 0)
      throw std::logic_error("no closest point");
  return offset * offset / size;
}

// Returns the distance in the max norm: the least s with |x| <= s for a point x of the polygon. At
// the optimum of this linear program, in the weights of the corners, the polygon touches the cube.
// The candidates are enumerated by features, and a direction proves the least of them.
template <class Query>
Rational max_norm_distance(const Query& query, const Rational& t) {
  const auto e = differences_at(query, t);
  const auto size = [](const RationalVec& x) {
    Rational largest = 0;
    for (const Rational& c : x) largest = std::max(largest, Rational(abs(c)));
    return largest;
  };
  std::optional<Rational> above, below;
  const auto offer = [&](const RationalVec& x) {
    if (!above || size(x) < *above) above = size(x);
  };
  const auto prove = [&](const RationalVec& n) {
    const Rational norm = abs(n[0]) + abs(n[1]) + abs(n[2]);
    if (norm == 0) return;
    Rational lo = dot(n, e[0]), hi = lo;
    for (const RationalVec& corner : e) {
      lo = std::min(lo, dot(n, corner));
      hi = std::max(hi, dot(n, corner));
    }
    const Rational bound = std::max(lo, Rational(-hi)) / norm;
    if (!below || bound > *below) below = bound;
  };
  for (std::size_t k = 0; k < 3; ++k) {
    RationalVec axis{};
    axis[k] = 1;
    prove(axis);
  }
  for (const RationalVec& corner : e) offer(corner);
  for (std::size_t i = 0; i < e.size() && e.size() > 1; ++i) {
    const RationalVec from = e[i], step = e[(i + 1) % e.size()] - from;
    for (std::size_t k = 0; k < 3; ++k) {
      RationalVec axis{};
      axis[k] = 1;
      prove(cross(axis, step));
      for (std::size_t l = 0; l < k; ++l)
        for (const int sign : {-1, 1}) {  // where |x_k| = |x_l| along the edge
          const Rational rate = step[k] + sign * step[l];
          if (rate == 0) continue;
          const Rational s = -(from[k] + sign * from[l]) / rate;
          if (s >= 0 && s <= 1) offer(along(from, step, s));
        }
    }
  }
  if (e.size() > 2) {
    const RationalVec n = cross(e[1] - e[0], e.back() - e[0]);
    prove(n);
    const Rational offset = dot(n, e[0]);
    for (int corner = 0; corner < 8; ++corner) {  // where a diagonal of space meets the polygon
      const RationalVec diagonal{corner & 1 ? 1 : -1, corner & 2 ? 1 : -1, corner & 4 ? 1 : -1};
      if (dot(n, diagonal) == 0) continue;
      const RationalVec x = along({}, diagonal, offset / dot(n, diagonal));
      bool inside = true;
      for (std::size_t i = 0; i < e.size(); ++i)
        inside = inside && dot(n, cross(e[i] - x, e[(i + 1) % e.size()] - x)) >= 0;
      if (inside) offer(x);
    }
  }
  // If no direction separates, the polygon contains 0 and need not have a closest feature.
  if (*below <= 0 && distance_sq(query, t) == 0) return 0;
  if (*above != *below) throw std::logic_error("bounds of the distance differ");
  return *above;
}

}  // namespace graze::test
