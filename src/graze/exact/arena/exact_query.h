#pragma once

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>

#include "graze/exact/arena/arena_integer.h"
#include "graze/exact/arena/isolated_root.h"
#include "graze/impact.h"
#include "graze/query.h"

namespace graze::exact {

// Both kinds of queries have one form in difference vectors e_i, which vanish where corners meet:
//   vertex-face  e = f0-v, f1-v, f2-v               edge-edge  e = b0-a0, b1-a0, b0-a1, b1-a1
// and cross products C of pairs of them, oriented so that at a contact all C are on one side:
//   vertex-face  e0xe1, e1xe2, e2xe0                edge-edge  e0xe1, -e2xe3, -e0xe2, e1xe3
// Each C belongs to a segment (an edge of the face seen from the vertex; one edge seen from an end
// of the other): the vertex or end lies on that segment iff C = 0 and e_i.e_j <= 0.
//   D = det(e0, e1, e2) vanishes iff the four corners are coplanar.
//   N = the normal of the face, or edge a x edge b: C0+C1+C2, or C0+C1 (= C2+C3).
// At a time with D = 0 there is contact
//   if some N_k != 0:  iff all C_k N_k >= 0 (projection along axis k is injective on the plane);
//   if N = 0:          iff some segment contains its point (a collapsed face is the union of its
//                      edges; parallel edges meet iff an end of one lies on the other).
struct Cross {
  std::size_t i, j;
  int sign;
};
template <class Query>
struct Layout;
template <>
struct Layout<VertexFace> {
  static constexpr std::array<std::array<std::size_t, 2>, 3> differences{{{1, 0}, {2, 0}, {3, 0}}};
  static constexpr std::array<Cross, 3> crosses{{{0, 1, 1}, {1, 2, 1}, {2, 0, 1}}};
  static constexpr std::size_t normal_terms = 3;
};
template <>
struct Layout<EdgeEdge> {
  static constexpr std::array<std::array<std::size_t, 2>, 4> differences{
      {{2, 0}, {3, 0}, {2, 1}, {3, 1}}};
  static constexpr std::array<Cross, 4> crosses{{{0, 1, 1}, {2, 3, -1}, {0, 2, -1}, {1, 3, 1}}};
  static constexpr std::size_t normal_terms = 2;
};

using IntegerVec3 = std::array<ArenaInteger, 3>;

// The paths of a query: its primitives, a bound on the degree of its coplanarity D, and either the
// points that describe its paths, or the paths of its corners as polynomials with an estimate of
// their positions (turning_paths.h).
template <class Query>
struct Paths {
  using Primitives = Query;
  static constexpr int max_degree = 3;
  static Curve curve(const Query&) { return Curve::line; }
  static const auto& point(const Query& query, std::size_t i) {
    return i == 0 ? query.start : query.end;
  }
};
template <class Primitives_>
struct Paths<Curved<Primitives_>> {
  using Primitives = Primitives_;
  static constexpr int max_degree = 9;
  static Curve curve(const Curved<Primitives>& query) { return query.curve; }
  static const auto& point(const Curved<Primitives>& query, std::size_t i) {
    return query.points[i];
  }
};

// Returns the path with these points as a polynomial in powers of t.
template <int max>
ArenaPolynomialUpTo<max> path_polynomial(Curve curve, const std::array<ArenaInteger, 4>& p) {
  const auto made = [](auto... c) { return make_polynomial<max>(std::array{c...}); };
  switch (curve) {
    case Curve::line:
      return made(p[0], p[1] - p[0]);
    case Curve::quadratic:
      return made(p[0], (p[1] - p[0]).times(2), (p[0] + p[2]) - p[1].times(2));
    case Curve::cubic:
      return made(p[0], (p[1] - p[0]).times(3), ((p[0] + p[2]) - p[1].times(2)).times(3),
                  (p[3] - p[0]) - (p[2] - p[1]).times(3));
    case Curve::hermite:
      return made(p[0], p[1], (p[3] - p[0]).times(3) - p[1].times(2) - p[2],
                  (p[0] - p[3]).times(2) + p[1] + p[2]);
  }
  return {};
}

// Returns an estimate of the value at t of the path with these points.
inline Vec3 point_on(Curve curve, const std::array<Vec3, 4>& p, double t) {
  const double s = 1 - t;
  switch (curve) {
    case Curve::line:
      return s * p[0] + t * p[1];
    case Curve::quadratic:
      return s * (s * p[0] + t * p[1]) + t * (s * p[1] + t * p[2]);
    case Curve::cubic:
      return s * s * (s * p[0] + 3 * t * p[1]) + t * t * (3 * s * p[2] + t * p[3]);
    case Curve::hermite:
      return s * s * ((s + 3 * t) * p[0] + t * p[1]) + t * t * ((t + 3 * s) * p[3] - s * p[2]);
  }
  return {};
}

template <class Query>
class ExactQuery {
  using P = Paths<Query>;
  using L = Layout<typename P::Primitives>;

 public:
  using Polynomial = ArenaPolynomialUpTo<P::max_degree>;
  using Root = IsolatedRootUpTo<P::max_degree>;
  using Roots = std::array<Root, static_cast<std::size_t>(P::max_degree)>;

  ExactQuery(const Query& query, Arena& arena) : query_(query), arena_(arena) {
    for (std::size_t d = 0; d < L::differences.size(); ++d) {
      const auto [x, y] = L::differences[d];
      if constexpr (requires { P::corners(query); })
        for (std::size_t k = 0; k < 3; ++k)
          e_[d][k] = P::corners(query)[x][k] - P::corners(query)[y][k];
    }
    if constexpr (!requires { P::corners(query); }) subtract_points();
  }

  // D = e0 . (e1 x e2).
  Polynomial coplanarity() const {
    Polynomial d;
    for (std::size_t k = 0; k < 3; ++k) d = d + e_[0][k] * cross_component(1, 2, k);
    return d;
  }

  // Returns the kind of contact at `time`; empty if none. Precondition: D = 0 at that time.
  std::optional<ContactKind> contact_at(const Root& time) {
    for (const std::size_t k : axes_by_size(time.lo)) {
      const int normal_sign = sign_at(normal(k), time);
      if (normal_sign == 0) continue;
      int zeros = 0;
      for (std::size_t c = 0; c < L::crosses.size(); ++c) {
        const int sign = sign_at(cross(c, k), time) * normal_sign;
        if (sign < 0) return std::nullopt;
        zeros += sign == 0;
      }
      return zeros == 0   ? ContactKind::interior
             : zeros == 1 ? ContactKind::edge
                          : ContactKind::vertex;
    }
    for (std::size_t c = 0; c < L::crosses.size(); ++c)
      if (sign_at(cross(c, 0), time) == 0 && sign_at(cross(c, 1), time) == 0 &&
          sign_at(cross(c, 2), time) == 0 && sign_at(dot(c), time) <= 0)
        return ContactKind::coplanar;
    return std::nullopt;
  }

  // For motions that stay coplanar (D = 0 at all times): visits a superset of the times t > 0 at
  // which a contact can begin. Let t* > 0 be the first contact. A contact inside a non-degenerate
  // face, or inside two non-parallel edges, would persist for t < t*, since D = 0. So at t* a point
  // reaches its segment, where C = 0. If C = 0 at all times, the point reaches the segment at one
  // of its ends, where e_i.e_j = 0. All these times are roots of any component of C that is not
  // identically zero, so one such component suffices.
  template <class Visit>
  void coplanar_events(Visit&& visit) {
    for (std::size_t c = 0; c < L::crosses.size(); ++c) {
      std::size_t k = 0;
      while (k < 3 && cross(c, k).is_zero()) ++k;
      const Polynomial event = k < 3 ? cross(c, k) : dot(c);
      if (event.degree < 1) continue;
      Roots roots;
      const int count = isolate_roots(event, roots);
      for (int i = 0; i < count; ++i) visit(roots[static_cast<std::size_t>(i)]);
    }
  }

  // For motions that stay coplanar: visits every time at which a sign that contact_at uses can
  // change.
  template <class Visit>
  void sign_changes(Visit&& visit) {
    const auto add = [&](const Polynomial& p) {
      if (p.degree < 1) return;
      Roots roots;
      const int count = isolate_roots(p, roots);
      for (int i = 0; i < count; ++i) visit(roots[static_cast<std::size_t>(i)]);
    };
    for (std::size_t c = 0; c < L::crosses.size(); ++c) {
      add(dot(c));
      for (std::size_t k = 0; k < 3; ++k) add(cross(c, k));
    }
    for (std::size_t k = 0; k < 3; ++k) add(normal(k));
  }

 private:
  // Forms the differences of paths that are given by points.
  void subtract_points() {
    const std::size_t points = point_count(P::curve(query_));
    numeric::CommonScale scale;
    for (std::size_t i = 0; i < points; ++i)
      for (const Vec3& corner : P::point(query_, i)) scale.include(corner);
    std::array<std::array<IntegerVec3, 4>, 4> corners;  // of each point
    for (std::size_t i = 0; i < points; ++i)
      for (std::size_t c = 0; c < 4; ++c)
        for (std::size_t k = 0; k < 3; ++k)
          corners[i][c][k] =
              ArenaInteger(arena_, scale.scaled(P::point(query_, i)[c][static_cast<int>(k)]));
    for (std::size_t d = 0; d < L::differences.size(); ++d)
      for (std::size_t k = 0; k < 3; ++k) {
        const auto [x, y] = L::differences[d];
        std::array<ArenaInteger, 4> difference;
        for (std::size_t i = 0; i < points; ++i)
          difference[i] = corners[i][x][k] - corners[i][y][k];
        e_[d][k] = path_polynomial<P::max_degree>(P::curve(query_), difference);
      }
  }

  // Component k of e_i x e_j.
  Polynomial cross_component(std::size_t i, std::size_t j, std::size_t k) const {
    const std::size_t x = (k + 1) % 3, y = (k + 2) % 3;
    return e_[i][x] * e_[j][y] - e_[i][y] * e_[j][x];
  }

  const Polynomial& cross(std::size_t c, std::size_t k) {
    std::optional<Polynomial>& cached = crosses_[c][k];
    if (!cached) {
      cached = cross_component(L::crosses[c].i, L::crosses[c].j, k);
      if (L::crosses[c].sign < 0) cached = -*cached;
    }
    return *cached;
  }
  Polynomial normal(std::size_t k) {
    Polynomial n = cross(0, k);
    for (std::size_t c = 1; c < L::normal_terms; ++c) n = n + cross(c, k);
    return n;
  }
  Polynomial dot(std::size_t c) const {
    const auto i = L::crosses[c].i, j = L::crosses[c].j;
    Polynomial sum;
    for (std::size_t k = 0; k < 3; ++k) sum = sum + e_[i][k] * e_[j][k];
    return sum;
  }

  // Returns the axes, first that of the largest |N_k| at t, approximately. Any order is correct;
  // this one makes an early decision likely.
  std::array<std::size_t, 3> axes_by_size(double t) const {
    std::array<Vec3, 4> e;
    for (std::size_t i = 0; i < L::differences.size(); ++i) {
      const auto [x, y] = L::differences[i];
      if constexpr (requires { P::corners(query_); }) {
        e[i] = P::position(query_, x, t) - P::position(query_, y, t);
      } else {
        std::array<Vec3, 4> points;
        for (std::size_t j = 0; j < point_count(P::curve(query_)); ++j)
          points[j] = P::point(query_, j)[x] - P::point(query_, j)[y];
        e[i] = point_on(P::curve(query_), points, t);
      }
    }
    Vec3 n = Vec3::Zero();
    for (std::size_t c = 0; c < L::normal_terms; ++c)
      n += L::crosses[c].sign * e[L::crosses[c].i].cross(e[L::crosses[c].j]);
    std::array<std::size_t, 3> axes{0, 1, 2};
    const auto size = [&](std::size_t k) { return std::abs(n[static_cast<int>(k)]); };
    if (size(axes[1]) > size(axes[0])) std::swap(axes[0], axes[1]);
    if (size(axes[2]) > size(axes[0])) std::swap(axes[0], axes[2]);
    return axes;
  }

  const Query& query_;
  Arena& arena_;
  std::array<std::array<Polynomial, 3>, 4> e_;
  std::array<std::array<std::optional<Polynomial>, 3>, 4> crosses_;
};

}  // namespace graze::exact
