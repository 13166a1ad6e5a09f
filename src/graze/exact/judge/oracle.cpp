#include "graze/exact/judge/oracle.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "graze/core/numeric/float_environment.h"
#include "graze/exact/judge/algebraic_root.h"
#include "graze/exact/judge/integer_motion.h"

namespace graze::exact {
namespace {

using exact::AlgebraicRoot;
using exact::approximate;
using exact::Dyadic;
using exact::Integer;
using exact::Polynomial;
using exact::PolynomialVector;

// The condition of contact in terms of the signs of polynomials in t. The primitives touch at t if
// and only if coplanarity(t) = 0 and, with N = pivot(t),
//   N != 0: for one (then every) axis k with N_k != 0, no corner has cross(p, q)_k N_k < 0;
//   N == 0: some corner has cross(p, q) = 0 and p.q <= 0.
// A corner's cross / N is one barycentric coordinate of the contact (vertex-face) or an edge
// parameter or its complement (edge-edge). Cross = 0 and dot <= 0 hold iff a point lies in the
// segment whose ends, relative to that point, are p and q. If N == 0 there are no other contacts.
// The proof is in docs/methods/oracle.md.
struct ContactCondition {
  struct Corner {
    PolynomialVector p, q;
  };
  Polynomial coplanarity;
  PolynomialVector pivot;
  std::vector<Corner> corners;
};

ContactCondition contact_condition(const VertexFace& query) {
  const auto [vertex, f0, f1, f2] = exact::integer_motion(query);
  const auto a = f0 - vertex, b = f1 - vertex, c = f2 - vertex;
  const PolynomialVector normal = cross(b - a, c - a);
  return {dot(a, normal), normal, {{b, c}, {c, a}, {a, b}}};
}

ContactCondition contact_condition(const EdgeEdge& query) {
  const auto [a0, a1, b0, b1] = exact::integer_motion(query);
  const PolynomialVector normal = cross(a1 - a0, b1 - b0);
  // a0 in b, a1 in b, b0 in a, b1 in a; with the signs that make the crosses s N, (1 - s) N,
  // r N, (1 - r) N where a0 + s (a1 - a0) = b0 + r (b1 - b0).
  return {dot(b0 - a0, normal),
          normal,
          {{b0 - a0, b1 - a0}, {b1 - a1, b0 - a1}, {a1 - b0, a0 - b0}, {a0 - b1, a1 - b1}}};
}

bool touching_at(AlgebraicRoot& t, const ContactCondition& condition) {
  for (std::size_t k = 0; k < 3; ++k)
    if (const int s = t.sign_of(condition.pivot[k]))
      return std::none_of(
          condition.corners.begin(), condition.corners.end(),
          [&](const auto& corner) { return s * t.sign_of(cross(corner.p, corner.q, k)) < 0; });
  return std::any_of(condition.corners.begin(), condition.corners.end(), [&](const auto& corner) {
    for (const Polynomial& p : cross(corner.p, corner.q))
      if (t.sign_of(p) != 0) return false;
    return t.sign_of(dot(corner.p, corner.q)) <= 0;
  });
}

// Returns true if the corners of the two primitives are strictly apart along an axis at t = 0 and,
// in the same order, at t = 1. Then they are apart at all times between, since all coordinates move
// linearly.
template <std::size_t corners_of_first, class Query>
bool axis_separates(const Query& query) {
  for (int k = 0; k < 3; ++k) {
    bool below = true, above = true;
    for (const auto* points : {&query.start, &query.end})
      for (std::size_t i = 0; i < corners_of_first; ++i)
        for (std::size_t j = corners_of_first; j < 4; ++j) {
          below = below && (*points)[i][k] < (*points)[j][k];
          above = above && (*points)[i][k] > (*points)[j][k];
        }
    if (below || above) return true;
  }
  return false;
}

// Returns the side of the plane on which the first primitive is just before t: -1 if `coplanarity`
// is positive there, since it is -|pivot| times the signed distance. The lowest derivative that
// does not vanish at t determines that sign.
int side_before(AlgebraicRoot& t, Polynomial coplanarity) {
  for (int side = 1;; side = -side) {
    coplanarity = derivative(coplanarity);
    if (const int s = t.sign_of(coplanarity)) return side * s;
  }
}

// Computes the position and the normal of the contact, in floating point from exact values at
// impact.toi. They stay NaN if the pivot vanishes: then the contact may not be unique and has no
// normal. U and V are the corners whose cross / pivot are impact.u and impact.v.
template <std::size_t U, std::size_t V>
void locate(Impact& impact, AlgebraicRoot& t, const ContactCondition& condition) {
  const Dyadic toi = Dyadic::of(impact.toi);
  std::array<Integer, 3> pivot;
  for (std::size_t k = 0; k < 3; ++k) pivot[k] = value_at(condition.pivot[k], toi, 2);
  const auto largest = std::max_element(
      pivot.begin(), pivot.end(), [](const auto& p, const auto& q) { return abs(p) < abs(q); });
  if (largest->is_zero()) return;
  // Returns x / largest, for |x| not much larger than `largest`.
  const int excess = std::max(0, static_cast<int>(msb(abs(*largest))) - 900);
  const auto ratio = [&](const Integer& x) {
    return approximate(x, -excess) / approximate(*largest, -excess);
  };
  const auto k = static_cast<std::size_t>(largest - pivot.begin());
  const auto parameter = [&](std::size_t i) {
    const auto& [p, q] = condition.corners[i];
    return std::clamp(ratio(value_at(cross(p, q, k), toi, 2)), 0.0, 1.0);
  };
  impact.u = parameter(U);
  impact.v = parameter(V);
  if (condition.coplanarity.is_zero()) return;
  impact.normal = Vec3(ratio(pivot[0]), ratio(pivot[1]), ratio(pivot[2])).normalized() *
                  (side_before(t, condition.coplanarity) * sign(*largest));
}

template <std::size_t corners_of_first, std::size_t U, std::size_t V, class Query>
Impact solve(const Query& query, const Options& options) {
  const FloatEnvironment environment;
  if (!is_finite(query) || !is_sensible(options)) return Impact::invalid();
  if (axis_separates<corners_of_first>(query)) return Impact::separated();

  const ContactCondition condition = contact_condition(query);
  const Dyadic t_max = Dyadic::of(options.t_max);
  Impact impact;
  std::optional<AlgebraicRoot> first;
  const auto examine = [&](AlgebraicRoot t) {
    ++impact.checks;
    if (!touching_at(t, condition)) return;
    // Rounding is monotone: the enclosure of the earliest time has the earliest ends.
    const auto [lo, hi] = t.enclosure();
    if (lo < impact.toi) first = t;
    impact.toi = std::min(impact.toi, lo);
    impact.toi_hi = std::min(impact.toi_hi, hi);
  };
  const auto examine_roots = [&](const Polynomial& p) {
    for (AlgebraicRoot& t : roots(p, t_max))
      if (!first || t.enclosure().first < impact.toi_hi) examine(t);
  };
  if (!condition.coplanarity.is_zero()) {
    examine_roots(condition.coplanarity);
  } else {
    // All signs are constant between the roots of the other polynomials and the set of contact
    // times is closed, so its least element is one of these roots or 0.
    examine(AlgebraicRoot(Dyadic{}));
    for (const Polynomial& p : condition.pivot) examine_roots(p);
    for (const auto& corner : condition.corners) {
      for (const Polynomial& p : cross(corner.p, corner.q)) examine_roots(p);
      examine_roots(dot(corner.p, corner.q));
    }
  }
  if (!first) return impact;
  impact.verdict = Verdict::contact;
  locate<U, V>(impact, *first, condition);
  return impact;
}

}  // namespace

Impact oracle(const VertexFace& query, const Options& options) {
  return solve<1, 1, 2>(query, options);
}

Impact oracle(const EdgeEdge& query, const Options& options) {
  return solve<2, 0, 2>(query, options);
}

}  // namespace graze::exact
