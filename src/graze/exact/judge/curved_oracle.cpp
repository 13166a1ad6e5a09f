#include "graze/exact/judge/curved_oracle.h"

#include <algorithm>

#include "graze/core/numeric/float_environment.h"
#include "graze/exact/judge/sturm_sequence.h"

namespace graze::exact {
namespace {

using exact::operator+, exact::operator-, exact::operator*;  // of Coefficients
using CurvedVector = std::array<Coefficients, 3>;

CurvedVector operator-(const CurvedVector& p, const CurvedVector& q) {
  return {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
}
Coefficients dot_of(const CurvedVector& p, const CurvedVector& q) {
  return p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
}
CurvedVector cross_of(const CurvedVector& p, const CurvedVector& q) {
  return {p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]};
}

// Returns the corners as polynomials of the time: the sum of the points, each times its basis
// polynomial. The coordinates are scaled to integers.
template <Query Q>
auto curved_corners(const Curved<Q>& query) {
  static const std::vector<Coefficients> basis[] = {
      {{1, -1}, {0, 1}},
      {{1, -2, 1}, {0, 2, -2}, {0, 0, 1}},
      {{1, -3, 3, -1}, {0, 3, -6, 3}, {0, 0, 3, -3}, {0, 0, 0, 1}},
      {{1, 0, -3, 2}, {0, 1, -2, 1}, {0, 0, -1, 1}, {0, 0, 3, -2}}};
  const auto& polynomials = basis[static_cast<std::size_t>(query.curve)];
  numeric::CommonScale scale;
  for (std::size_t i = 0; i < polynomials.size(); ++i)
    for (const Vec3& corner : query.points[i]) scale.include(corner);
  std::array<CurvedVector, std::tuple_size_v<typename Curved<Q>::Corners>> corners;
  for (std::size_t i = 0; i < polynomials.size(); ++i)
    for (std::size_t c = 0; c < corners.size(); ++c)
      for (std::size_t k = 0; k < 3; ++k) {
        const Integer x = to_integer(scale.scaled(query.points[i][c][static_cast<int>(k)]));
        if (x != 0) corners[c][k] = corners[c][k] + Coefficients{x} * polynomials[i];
      }
  return corners;
}

// A point seen from which the ends of a segment are p and q: it lies on the segment iff
// |p x q|^2 = 0 and p.q <= 0.
struct SegmentTest {
  Coefficients cross_sq, dot;

  SegmentTest(const CurvedVector& p, const CurvedVector& q) : dot(dot_of(p, q)) {
    const CurvedVector c = cross_of(p, q);
    cross_sq = dot_of(c, c);
  }
};

// The condition of contact. If |N|^2 != 0: coplanarity = 0 and no `inside` is negative. If |N|^2 =
// 0 (there is no N for points and segments): some segment contains its point. An `inside` is |N|^2
// times a barycentric coordinate, an edge parameter or its complement.
struct CurvedCondition {
  Coefficients coplanarity, normal_sq;
  std::vector<Coefficients> inside;
  std::vector<SegmentTest> segments;
};

CurvedCondition condition_of(const Curved<VertexFace>& query) {
  const auto [v, f0, f1, f2] = curved_corners(query);
  const CurvedVector n = cross_of(f1 - f0, f2 - f0);
  CurvedCondition condition{dot_of(v - f0, n), dot_of(n, n), {}, {}};
  const CurvedVector* f[] = {&f0, &f1, &f2, &f0};
  for (int i = 0; i < 3; ++i) {
    const CurvedVector &p = *f[i], &q = *f[i + 1];
    condition.inside.push_back(dot_of(n, cross_of(q - p, v - p)));
    condition.segments.emplace_back(p - v, q - v);
  }
  return condition;
}

CurvedCondition condition_of(const Curved<EdgeEdge>& query) {
  const auto [a0, a1, b0, b1] = curved_corners(query);
  const CurvedVector a = a1 - a0, b = b1 - b0, n = cross_of(a, b);
  CurvedCondition condition{dot_of(b0 - a0, n), dot_of(n, n), {}, {}};
  // a0 + s a = b0 + r b: s n = (b0 - a0) x b and r n = (b0 - a0) x a.
  const Coefficients s = dot_of(n, cross_of(b0 - a0, b)), r = dot_of(n, cross_of(b0 - a0, a));
  condition.inside = {s, condition.normal_sq - s, r, condition.normal_sq - r};
  condition.segments = {
      {b0 - a0, b1 - a0}, {b0 - a1, b1 - a1}, {a0 - b0, a1 - b0}, {a0 - b1, a1 - b1}};
  return condition;
}

CurvedCondition condition_of(const Curved<VertexEdge>& query) {
  const auto [v, a, b] = curved_corners(query);
  return {{}, {}, {}, {{a - v, b - v}}};
}

CurvedCondition condition_of(const Curved<VertexVertex>& query) {
  const auto [a, b] = curved_corners(query);
  return {{}, {}, {}, {{b - a, b - a}}};
}

// Precondition: the coplanarity vanishes at t.
bool touches_at(SturmRoot& t, const CurvedCondition& condition) {
  if (t.sign_of(condition.normal_sq) != 0)
    return std::none_of(condition.inside.begin(), condition.inside.end(),
                        [&](const Coefficients& p) { return t.sign_of(p) < 0; });
  return std::any_of(condition.segments.begin(), condition.segments.end(),
                     [&](const SegmentTest& segment) {
                       return t.sign_of(segment.cross_sq) == 0 && t.sign_of(segment.dot) <= 0;
                     });
}

// Returns whether the differences of the corners of the two primitives have one strict sign along
// an axis at every point of a Bézier curve. Then they have it at all times, since a Bézier curve
// lies in the convex hull of its points.
template <Query Q>
bool axis_parts(const Curved<Q>& query, std::size_t corners_of_first) {
  if (query.curve == Curve::hermite) return false;
  for (int k = 0; k < 3; ++k) {
    bool below = true, above = true;
    for (std::size_t i = 0; i < point_count(query.curve); ++i)
      for (std::size_t a = 0; a < corners_of_first; ++a)
        for (std::size_t b = corners_of_first; b < query.points[i].size(); ++b) {
          below = below && query.points[i][a][k] < query.points[i][b][k];
          above = above && query.points[i][a][k] > query.points[i][b][k];
        }
    if (below || above) return true;
  }
  return false;
}

template <Query Q>
Impact judge(const Curved<Q>& query, const Options& options) {
  const FloatEnvironment environment;
  if (!is_finite(query) || !is_sensible(options) || options.min_separation > 0)
    return Impact::invalid();
  if (axis_parts(query, kind_of<Q> == Kind::edge_edge ? 2 : 1)) return Impact::separated();
  const CurvedCondition condition = condition_of(query);
  Impact impact;
  const auto examine = [&](SturmRoot t) {
    const auto [lo, hi] = t.enclosure();
    if (hi > options.t_max || (lo >= impact.toi && hi >= impact.toi_hi)) return;
    ++impact.checks;
    if (!touches_at(t, condition)) return;
    impact.verdict = Verdict::contact;  // rounding is monotone: the earliest time has these ends
    impact.toi = std::min(impact.toi, lo);
    impact.toi_hi = std::min(impact.toi_hi, hi);
  };
  const auto examine_roots = [&](const Coefficients& p) {
    if (!p.empty())
      for (const SturmRoot& t : SturmRoot::all(p)) examine(t);
  };
  if (!condition.coplanarity.empty()) {
    examine_roots(condition.coplanarity);
    return impact;
  }
  // Between the roots of the polynomials of the condition all its signs are constant and the set of
  // contact times is closed, so its least element is one of these roots or 0.
  examine(SturmRoot::zero());
  examine_roots(condition.normal_sq);
  for (const Coefficients& p : condition.inside) examine_roots(p);
  for (const SegmentTest& segment : condition.segments) {
    examine_roots(segment.cross_sq);
    examine_roots(segment.dot);
  }
  return impact;
}

template <Query Q>
std::vector<std::array<double, 2>> instants(const Curved<Q>& query) {
  const CurvedCondition condition = condition_of(query);
  std::vector<std::array<double, 2>> times;
  if (condition.coplanarity.empty()) return times;
  for (SturmRoot& t : SturmRoot::all(condition.coplanarity))
    if (touches_at(t, condition)) times.push_back(t.enclosure());
  return times;
}

}  // namespace

Impact curved_oracle(const Curved<VertexFace>& query, const Options& options) {
  return judge(query, options);
}
Impact curved_oracle(const Curved<EdgeEdge>& query, const Options& options) {
  return judge(query, options);
}
Impact curved_oracle(const Curved<VertexEdge>& query, const Options& options) {
  return judge(query, options);
}
Impact curved_oracle(const Curved<VertexVertex>& query, const Options& options) {
  return judge(query, options);
}

std::vector<std::array<double, 2>> curved_contact_instants(const Curved<VertexFace>& query) {
  return instants(query);
}
std::vector<std::array<double, 2>> curved_contact_instants(const Curved<EdgeEdge>& query) {
  return instants(query);
}

}  // namespace graze::exact
