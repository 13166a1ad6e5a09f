#pragma once

#include <type_traits>

#include "graze/exact/judge/algebraic_root.h"
#include "graze/exact/judge/integer_motion.h"
#include "graze/exact/judge/oracle.h"

namespace graze::test {

// The contacts in [0, t_max], counted as roots of the coplanarity polynomial.
struct RootCensus {
  bool contact = false;    // there is a contact
  bool border = false;     // a contact at 0, at t_max, on an edge of the face or an end of an edge
  int inside = 0;          // the other contacts, with their multiplicity as roots of coplanarity
  bool flat_side = false;  // a side of the domain has a planar image
  bool bent_side = false;  // a side has a planar image that is no strictly convex quadrilateral

  bool odd_or_border() const { return border || inside % 2 == 1; }
};

// Examines the roots of the coplanarity polynomial one by one in exact arithmetic. If corners that
// are always coplanar touch, they also touch at a border: if the face is not collapsed and the
// edges are not parallel, the point of contact moves with time until it reaches a border; otherwise
// the contact is a segment of parameters that reaches a border.
template <class Query>
RootCensus root_census(const Query& query, double t_max = 1) {
  using namespace exact;
  const auto x = integer_motion(query);
  std::vector<PolynomialVector> e;                   // differences; zero if corners coincide
  std::vector<std::array<std::size_t, 2>> segments;  // between them: the sides of the domain
  PolynomialVector normal;
  std::vector<PolynomialVector> crosses;  // all along the normal if the contact is inside
  if constexpr (std::is_same_v<Query, VertexFace>) {
    e = {x[1] - x[0], x[2] - x[0], x[3] - x[0]};
    segments = {{0, 1}, {1, 2}, {2, 0}};
    normal = cross(e[1] - e[0], e[2] - e[0]);
    crosses = {cross(e[0], e[1]), cross(e[1], e[2]), cross(e[2], e[0])};
  } else {
    e = {x[2] - x[0], x[3] - x[0], x[2] - x[1], x[3] - x[1]};
    segments = {{0, 1}, {2, 3}, {0, 2}, {1, 3}};
    normal = cross(e[0] - e[2], e[1] - e[0]);
    crosses = {cross(e[0], e[1]), cross(e[3], e[2]), cross(e[2], e[0]), cross(e[1], e[3])};
  }
  const Dyadic end = Dyadic::of(t_max);
  RootCensus census;
  for (const auto [i, j] : segments) {
    // The corners at 0 and at t_max in order, the edges between them, and the turns at the corners.
    std::array<std::array<Integer, 3>, 4> corner, edge, turn;
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t m = 0; m < 4; ++m) {
        const Polynomial& p = m == 0 || m == 3 ? e[i][k] : e[j][k];
        corner[m][k] = m < 2 ? p.c[0] << end.shift : value_at(p, end, 1);
      }
    for (std::size_t m = 0; m < 4; ++m)
      for (std::size_t k = 0; k < 3; ++k) edge[m][k] = corner[(m + 1) % 4][k] - corner[m][k];
    const auto product = [](const auto& a, const auto& b) -> Integer {
      return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    };
    for (std::size_t m = 0; m < 4; ++m)
      for (std::size_t k = 0; k < 3; ++k)
        turn[m][k] = edge[m][(k + 1) % 3] * edge[(m + 1) % 4][(k + 2) % 3] -
                     edge[m][(k + 2) % 3] * edge[(m + 1) % 4][(k + 1) % 3];
    if (product(turn[0], edge[2]) != 0) continue;
    census.flat_side = true;
    for (std::size_t m = 0; m < 4; ++m)
      census.bent_side = census.bent_side || product(turn[m], turn[(m + 1) % 4]) <= 0;
  }

  const Polynomial coplanarity = dot(e[0], normal);
  if (coplanarity.is_zero()) {
    Options options;
    options.t_max = t_max;
    census.contact = census.border = exact::oracle(query, options).verdict == Verdict::contact;
    return census;
  }
  for (AlgebraicRoot& t : roots(coplanarity, end)) {
    bool touches = false, border = false;
    std::size_t k = 0;
    while (k < 3 && t.sign_of(normal[k]) == 0) ++k;
    if (k < 3) {
      touches = true;
      for (const PolynomialVector& c : crosses) {
        const int s = t.sign_of(c[k]) * t.sign_of(normal[k]);
        touches = touches && s >= 0;
        border = border || s == 0;
      }
    } else {
      for (const auto [i, j] : segments) {
        bool zero = true;
        for (const Polynomial& p : cross(e[i], e[j])) zero = zero && t.sign_of(p) == 0;
        touches = touches || (zero && t.sign_of(dot(e[i], e[j])) <= 0);
      }
      border = true;
    }
    if (!touches) continue;
    census.contact = true;
    const auto [lo, hi] = t.enclosure();
    if (border || hi == 0 || lo == t_max) {
      census.border = true;
      continue;
    }
    Polynomial p = coplanarity;
    do {
      ++census.inside;
      p = derivative(p);
    } while (t.sign_of(p) == 0);
  }
  return census;
}

}  // namespace graze::test
