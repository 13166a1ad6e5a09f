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

// Returns a polynomial with the real roots of |v|^2: the greatest common divisor of the
// coordinates, since |v|^2 = 0 iff all coordinates are 0. Empty iff v is 0 at all times.
inline Coefficients zeros_of(const CurvedVector& v) {
  return common_divisor(common_divisor(v[0], v[1]), v[2]);
}

// The test whether a point lies on a segment whose ends, relative to the point, are p and q. It
// does iff p x q = 0 and p.q <= 0.
struct SegmentTest {
  CurvedVector cross;
  Coefficients dot;

  SegmentTest(const CurvedVector& p, const CurvedVector& q)
      : cross(cross_of(p, q)), dot(dot_of(p, q)) {}
  // The test whether two points, with the difference p, are one.
  explicit SegmentTest(const CurvedVector& p) : cross(p) {}

  bool holds_at(SturmRoot& t) const {
    return std::all_of(cross.begin(), cross.end(),
                       [&](const Coefficients& c) { return t.sign_of(c) == 0; }) &&
           t.sign_of(dot) <= 0;
  }

  // Returns the polynomial among whose roots are all times at which the test begins or ends to
  // hold: it holds only where p x q = 0, and if that is always so, where p.q <= 0.
  Coefficients events() const {
    const Coefficients zeros = zeros_of(cross);
    return zeros.empty() ? dot : zeros;
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
  return {{}, {}, {}, {SegmentTest(b - a)}};
}

// Returns whether the primitives touch at t. Precondition: the coplanarity vanishes at t.
inline bool touches_at(SturmRoot& t, const CurvedCondition& condition) {
  if (t.sign_of(condition.normal_sq) != 0)
    return std::none_of(condition.inside.begin(), condition.inside.end(),
                        [&](const Coefficients& p) { return t.sign_of(p) < 0; });
  return std::any_of(condition.segments.begin(), condition.segments.end(),
                     [&](const SegmentTest& segment) { return segment.holds_at(t); });
}

}  // namespace graze::exact::curved_condition
