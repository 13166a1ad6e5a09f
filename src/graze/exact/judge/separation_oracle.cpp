#include "graze/exact/judge/separation_oracle.h"

#include <algorithm>
#include <type_traits>
#include <vector>

#include "graze/core/numeric/float_environment.h"
#include "graze/exact/judge/algebraic_root.h"
#include "graze/exact/judge/integer_motion.h"

namespace graze::exact {
namespace {

using exact::AlgebraicRoot;
using exact::Bernstein;
using exact::Dyadic;
using exact::Integer;
using exact::Polynomial;
using exact::PolynomialVector;

// The convex polygon of the differences between points of the second and the first primitive. It is
// the hull of `corners`, which are in their order around it. The distance of the primitives is the
// distance of the polygon from 0.
struct Polygon {
  std::vector<PolynomialVector> corners;
  Integer d;

  std::size_t edges() const { return corners.size() > 2 ? corners.size() : corners.size() - 1; }
  const PolynomialVector& next(std::size_t i) const { return corners[(i + 1) % corners.size()]; }
  bool has_face() const { return corners.size() > 2; }
  PolynomialVector normal() const {
    return cross(corners[1] - corners[0], corners.back() - corners[0]);
  }
};

Polygon polygon(const EdgeEdge& query, double d) {
  const auto [points, length] = exact::integer_motion(query, d);
  const auto& [a0, a1, b0, b1] = points;
  return {{b0 - a0, b1 - a0, b1 - a1, b0 - a1}, length};
}
template <class Query>
Polygon polygon(const Query& query, double d) {
  const auto [points, length] = exact::integer_motion(query, d);
  Polygon result{{}, length};
  for (std::size_t i = 1; i < points.size(); ++i) result.corners.push_back(points[i] - points[0]);
  return result;
}

Polynomial square(const PolynomialVector& p) {
  return dot(p, p);
}

// ---- Euclidean norm ----------------------------------------------------------------------------

// A corner, an edge or the face of the polygon. Where all of `inside` are positive, 0 projects into
// its relative interior, and its distance from 0 is <= d if and only if `gap` <= 0.
struct Feature {
  Polynomial gap;
  std::vector<Polynomial> inside;
};

std::vector<Feature> features(const Polygon& polygon) {
  const Polynomial d_sq{{polygon.d * polygon.d}};
  std::vector<Feature> result;
  for (const PolynomialVector& e : polygon.corners) result.push_back({square(e) - d_sq, {}});
  for (std::size_t i = 0; i < polygon.edges(); ++i) {
    const PolynomialVector &a = polygon.corners[i], &b = polygon.next(i), along = b - a;
    result.push_back({square(cross(a, b)) - d_sq * square(along), {dot(a, a - b), dot(b, along)}});
  }
  if (polygon.has_face()) {
    const PolynomialVector normal = polygon.normal();
    const Polynomial offset = dot(normal, polygon.corners[0]);
    Feature face{offset * offset - d_sq * square(normal), {}};
    for (std::size_t i = 0; i < polygon.edges(); ++i)
      face.inside.push_back(dot(normal, cross(polygon.corners[i], polygon.next(i))));
    result.push_back(std::move(face));
  }
  return result;
}

// ---- max norm ----------------------------------------------------------------------------------

// The products n.(e - c) of one direction n(t) with all corners e of the polygon and c of the cube
// [-d, d]^3, without repetitions. n separates the polygon from the cube iff all products are
// positive or all are negative.
using Direction = std::vector<Polynomial>;

// Returns the directions that decide separation. The normals of the facets of the Minkowski sum of
// the polygon and the cube are the axes, the normal of the polygon, and the cross products of an
// axis and an edge. So 0 is outside the sum if and only if one of these directions separates.
std::vector<Direction> directions(const Polygon& polygon) {
  const bool parallel = polygon.corners.size() == 4;  // opposite edges are parallel
  std::vector<PolynomialVector> normals;
  for (std::size_t k = 0; k < 3; ++k) {
    PolynomialVector axis;
    axis[k] = {{1}};
    normals.push_back(axis);
    for (std::size_t i = 0; i < (parallel ? 2 : polygon.edges()); ++i)
      normals.push_back(cross(axis, polygon.next(i) - polygon.corners[i]));
  }
  if (polygon.has_face()) normals.push_back(polygon.normal());

  std::vector<Direction> result;
  for (const PolynomialVector& n : normals) {
    Direction direction;
    for (const PolynomialVector& e : polygon.corners) {
      const Polynomial side = dot(n, e);
      for (int corner = 0; corner < 8; ++corner) {
        Polynomial sum = side;
        for (std::size_t k = 0; k < 3; ++k) {
          const Polynomial reach = n[k] * Polynomial{{polygon.d}};
          sum = corner >> k & 1 ? sum + reach : sum - reach;
        }
        const auto same = [&](const Polynomial& p) { return p.c == sum.c; };
        if (std::none_of(direction.begin(), direction.end(), same)) direction.push_back(sum);
      }
    }
    result.push_back(std::move(direction));
  }
  return result;
}

// Returns -1 or 1 if all products have that sign or, unless `strictly`, none has the other sign;
// 0 otherwise.
int common_sign(AlgebraicRoot& t, const Direction& direction, bool strictly) {
  int common = 0;
  for (const Polynomial& p : direction) {
    const int s = t.sign_of(p);
    if ((s == 0 && strictly) || s * common < 0) return 0;
    if (s != 0) common = s;
  }
  return common == 0 && !strictly ? 1 : common;
}

// ---- the first time ----------------------------------------------------------------------------

// The earliest of the offered times, as the tightest enclosing doubles.
struct First {
  Dyadic t_max;
  Impact impact;

  // Offers those roots of p in [0, t_max] that the test accepts.
  template <class Test>
  void offer_roots(const Polynomial& p, Test&& test) {
    for (AlgebraicRoot& t : roots(p, t_max)) {
      // Rounding is monotone: the enclosure of the earliest time has the earliest ends.
      const auto [lo, hi] = t.enclosure();
      if (lo >= impact.toi && hi >= impact.toi_hi) return;
      ++impact.checks;
      if (!test(t)) continue;
      offer(lo, hi);
      return;
    }
  }
  void offer(double lo, double hi) {
    impact.verdict = Verdict::contact;
    impact.toi = std::min(impact.toi, lo);
    impact.toi_hi = std::min(impact.toi_hi, hi);
    t_max = Dyadic::of(impact.toi_hi);  // later times need not be examined
  }
};

// Correctness: at the first time t > 0 the distance is d, and the closest point of the polygon is
// unique. It lies in the relative interior of a feature, so all `inside` of that feature are
// positive at t and, by continuity, near t. `gap` vanishes at t, but not identically, since
// otherwise the distance would be <= d before t.
Impact first_l2(const Polygon& polygon, const Dyadic& t_max) {
  First first{t_max, {}};
  const auto inside = [](AlgebraicRoot& t, const Feature& feature) {
    return std::all_of(feature.inside.begin(), feature.inside.end(),
                       [&](const Polynomial& p) { return t.sign_of(p) > 0; });
  };
  const std::vector<Feature> all = features(polygon);
  AlgebraicRoot start{Dyadic{}};
  for (const Feature& feature : all)
    if (start.sign_of(feature.gap) <= 0 && inside(start, feature)) {
      first.offer(0, 0);
      return first.impact;
    }
  for (const Feature& feature : all) {
    const bool never =
        std::any_of(feature.inside.begin(), feature.inside.end(),
                    [&](const Polynomial& p) { return Bernstein(p, {}, t_max).common_sign() < 0; });
    if (!never)
      first.offer_roots(feature.gap, [&](AlgebraicRoot& t) { return inside(t, feature); });
  }
  return first.impact;
}

// Correctness: at the first time t > 0 no direction separates, but one and the same direction
// separates just before t (between roots the signs do not change). So one of its products vanishes
// at t, not identically, and no two of its products have opposite signs at t.
Impact first_linf(const Polygon& polygon, const Dyadic& t_max) {
  if (polygon.d.is_zero()) return first_l2(polygon, t_max);  // the cube is a point
  First first{t_max, {}};
  const std::vector<Direction> all = directions(polygon);
  const auto within = [&](AlgebraicRoot& t) {
    return std::none_of(all.begin(), all.end(), [&](const Direction& direction) {
      return common_sign(t, direction, true) != 0;
    });
  };
  AlgebraicRoot start{Dyadic{}};
  if (within(start)) {
    first.offer(0, 0);
    return first.impact;
  }
  // Returns whether the direction is proven never to separate. Its roots need no examination.
  const auto idle = [&](const Direction& direction) {
    bool positive = false, negative = false;
    for (const Polynomial& p : direction) {
      const int s = Bernstein(p, {}, t_max).common_sign();
      positive = positive || s > 0;
      negative = negative || s < 0;
    }
    return positive && negative;
  };
  for (const Direction& direction : all)
    for (const Polynomial& p : idle(direction) ? Direction() : direction)
      first.offer_roots(
          p, [&](AlgebraicRoot& t) { return common_sign(t, direction, false) != 0 && within(t); });
  return first.impact;
}

// Returns true if the corners of the two primitives are more than d apart along an axis at t = 0
// and, in the same order, at t = 1. Rounding is monotone: fl(x - y) > d implies x - y > d.
template <class Query>
bool axis_separates(const Query& query, double d) {
  constexpr std::size_t of_first = std::is_same_v<Query, EdgeEdge> ? 2 : 1;
  for (int k = 0; k < 3; ++k) {
    bool below = true, above = true;
    for (const auto* points : {&query.start, &query.end})
      for (std::size_t i = 0; i < of_first; ++i)
        for (std::size_t j = of_first; j < points->size(); ++j) {
          below = below && (*points)[j][k] - (*points)[i][k] > d;
          above = above && (*points)[i][k] - (*points)[j][k] > d;
        }
    if (below || above) return true;
  }
  return false;
}

template <class Query, class Solve>
Impact answer(const Query& query, const Options& options, Solve&& solve) {
  const FloatEnvironment environment;
  if (!is_finite(query) || !is_sensible(options)) return Impact::invalid();
  const double d = options.min_separation;
  if (axis_separates(query, d)) return Impact::separated();
  return solve(polygon(query, d), Dyadic::of(options.t_max));
}

}  // namespace

Impact oracle_l2(const VertexFace& query, const Options& options) {
  return answer(query, options, first_l2);
}
Impact oracle_l2(const EdgeEdge& query, const Options& options) {
  return answer(query, options, first_l2);
}
Impact oracle_l2(const VertexEdge& query, const Options& options) {
  return answer(query, options, first_l2);
}
Impact oracle_l2(const VertexVertex& query, const Options& options) {
  return answer(query, options, first_l2);
}
Impact oracle_linf(const VertexFace& query, const Options& options) {
  return answer(query, options, first_linf);
}
Impact oracle_linf(const EdgeEdge& query, const Options& options) {
  return answer(query, options, first_linf);
}
Impact oracle_linf(const VertexEdge& query, const Options& options) {
  return answer(query, options, first_linf);
}
Impact oracle_linf(const VertexVertex& query, const Options& options) {
  return answer(query, options, first_linf);
}

}  // namespace graze::exact
