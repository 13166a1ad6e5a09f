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

template <class Query>
class ExactQuery {
  using L = Layout<Query>;

 public:
  ExactQuery(const Query& query, Arena& arena) : query_(query), arena_(arena) {
    numeric::CommonScale scale;
    scale.include_corners(query);
    const auto integer = [&](double x) { return ArenaInteger(arena, scale.scaled(x)); };
    std::array<IntegerVec3, 4> start, end;
    for (std::size_t c = 0; c < 4; ++c)
      for (std::size_t k = 0; k < 3; ++k) {
        start[c][k] = integer(query.start[c][static_cast<int>(k)]);
        end[c][k] = integer(query.end[c][static_cast<int>(k)]);
      }
    for (std::size_t i = 0; i < L::differences.size(); ++i)
      for (std::size_t k = 0; k < 3; ++k) {
        const auto [x, y] = L::differences[i];
        start_[i][k] = start[x][k] - start[y][k];
        motion_[i][k] = (end[x][k] - end[y][k]) - start_[i][k];
      }
  }

  // D = e0 . (e1 x e2).
  ArenaPolynomial coplanarity() {
    std::array<ArenaInteger, 4> d;
    d.fill(ArenaInteger(arena_));
    for (std::size_t k = 0; k < 3; ++k) {
      const ArenaPolynomial n = cross_component(1, 2, k);
      for (int i = 0; i <= n.degree; ++i) {
        const auto at = static_cast<std::size_t>(i);
        d[at] = d[at] + start_[0][k] * n.c[at];
        d[at + 1] = d[at + 1] + motion_[0][k] * n.c[at];
      }
    }
    return make_polynomial(d);
  }

  // Returns the kind of contact at `time`, when the corners must be coplanar; empty if none.
  std::optional<ContactKind> contact_at(const IsolatedRoot& time) {
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
      const ArenaPolynomial event = k < 3 ? cross(c, k) : dot(c);
      if (event.degree < 1) continue;
      std::array<IsolatedRoot, 3> roots;
      const int count = isolate_roots(event, roots);
      for (int i = 0; i < count; ++i) visit(roots[static_cast<std::size_t>(i)]);
    }
  }

  // For motions that stay coplanar: visits every time at which a sign that contact_at uses can
  // change.
  template <class Visit>
  void sign_changes(Visit&& visit) {
    const auto add = [&](const ArenaPolynomial& p) {
      if (p.degree < 1) return;
      std::array<IsolatedRoot, 3> roots;
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
  // Component k of e_i x e_j.
  ArenaPolynomial cross_component(std::size_t i, std::size_t j, std::size_t k) const {
    const std::size_t x = (k + 1) % 3, y = (k + 2) % 3;
    const auto &a = start_[i], &b = start_[j], &da = motion_[i], &db = motion_[j];
    return make_polynomial(std::array{
        a[x] * b[y] - a[y] * b[x],
        (a[x] * db[y] - a[y] * db[x]) + (da[x] * b[y] - da[y] * b[x]),
        da[x] * db[y] - da[y] * db[x],
    });
  }

  const ArenaPolynomial& cross(std::size_t c, std::size_t k) {
    std::optional<ArenaPolynomial>& cached = crosses_[c][k];
    if (!cached) {
      cached = cross_component(L::crosses[c].i, L::crosses[c].j, k);
      if (L::crosses[c].sign < 0) cached = -*cached;
    }
    return *cached;
  }
  ArenaPolynomial normal(std::size_t k) {
    ArenaPolynomial n = cross(0, k);
    for (std::size_t c = 1; c < L::normal_terms; ++c) n = n + cross(c, k);
    return n;
  }
  ArenaPolynomial dot(std::size_t c) const {
    const auto i = L::crosses[c].i, j = L::crosses[c].j;
    std::array<ArenaInteger, 3> d;
    d.fill(ArenaInteger(arena_));
    for (std::size_t k = 0; k < 3; ++k) {
      d[0] = d[0] + start_[i][k] * start_[j][k];
      d[1] = d[1] + (start_[i][k] * motion_[j][k] + motion_[i][k] * start_[j][k]);
      d[2] = d[2] + motion_[i][k] * motion_[j][k];
    }
    return make_polynomial(d);
  }

  // Returns the axes, approximately by descending |N_k| at t. Any order is correct; this one makes
  // an early decision likely.
  std::array<std::size_t, 3> axes_by_size(double t) const {
    std::array<Vec3, 4> e;
    for (std::size_t i = 0; i < L::differences.size(); ++i) {
      const auto [x, y] = L::differences[i];
      e[i] = (1 - t) * (query_.start[x] - query_.start[y]) + t * (query_.end[x] - query_.end[y]);
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
  std::array<IntegerVec3, 4> start_, motion_;
  std::array<std::array<std::optional<ArenaPolynomial>, 3>, 4> crosses_;
};

}  // namespace graze::exact
