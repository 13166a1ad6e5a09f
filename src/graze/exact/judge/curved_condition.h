#pragma once

#include <algorithm>
#include <array>
#include <tuple>
#include <vector>

#include "graze/exact/judge/sturm_sequence.h"
#include "graze/query.h"

// The condition of contact of the oracles for curved and turning paths.
namespace graze::exact::curved_condition {

using exact::operator+, exact::operator-, exact::operator*;  // of Coefficients
using CurvedVector = std::array<Coefficients, 3>;

inline CurvedVector operator-(const CurvedVector& p, const CurvedVector& q) {
  return {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
}
inline Coefficients dot_of(const CurvedVector& p, const CurvedVector& q) {
  return p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
}
inline CurvedVector cross_of(const CurvedVector& p, const CurvedVector& q) {
  return {p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]};
}

// The corners of a query as polynomials of one parameter. A common positive factor of all corners
// changes no sign below.
template <Query Q>
using CornerPaths = std::array<CurvedVector, std::tuple_size_v<decltype(Q::start)>>;

// The test whether a point lies on a segment whose ends, relative to the point, are p and q. It
// does iff |p x q|^2 = 0 and p.q <= 0.
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

// Returns the condition of a kind of query; the pointer names the kind.
inline CurvedCondition condition_of(const VertexFace*, const CornerPaths<VertexFace>& corners) {
  const auto& [v, f0, f1, f2] = corners;
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

inline CurvedCondition condition_of(const EdgeEdge*, const CornerPaths<EdgeEdge>& corners) {
  const auto& [a0, a1, b0, b1] = corners;
  const CurvedVector a = a1 - a0, b = b1 - b0, n = cross_of(a, b);
  CurvedCondition condition{dot_of(b0 - a0, n), dot_of(n, n), {}, {}};
  // a0 + s a = b0 + r b: s n = (b0 - a0) x b and r n = (b0 - a0) x a.
  const Coefficients s = dot_of(n, cross_of(b0 - a0, b)), r = dot_of(n, cross_of(b0 - a0, a));
  condition.inside = {s, condition.normal_sq - s, r, condition.normal_sq - r};
  condition.segments = {
      {b0 - a0, b1 - a0}, {b0 - a1, b1 - a1}, {a0 - b0, a1 - b0}, {a0 - b1, a1 - b1}};
  return condition;
}

inline CurvedCondition condition_of(const VertexEdge*, const CornerPaths<VertexEdge>& corners) {
  const auto& [v, a, b] = corners;
  return {{}, {}, {}, {{a - v, b - v}}};
}

inline CurvedCondition condition_of(const VertexVertex*, const CornerPaths<VertexVertex>& corners) {
  const auto& [a, b] = corners;
  return {{}, {}, {}, {{b - a, b - a}}};
}

// Returns whether the primitives touch at t. Precondition: the coplanarity vanishes at t.
inline bool touches_at(SturmRoot& t, const CurvedCondition& condition) {
  if (t.sign_of(condition.normal_sq) != 0)
    return std::none_of(condition.inside.begin(), condition.inside.end(),
                        [&](const Coefficients& p) { return t.sign_of(p) < 0; });
  return std::any_of(condition.segments.begin(), condition.segments.end(),
                     [&](const SegmentTest& segment) {
                       return t.sign_of(segment.cross_sq) == 0 && t.sign_of(segment.dot) <= 0;
                     });
}

}  // namespace graze::exact::curved_condition
