#include "graze/exact/judge/curved_oracle.h"

#include <algorithm>

#include "graze/core/numeric/float_environment.h"
#include "graze/exact/judge/curved_condition.h"

namespace graze::exact {
namespace {

using namespace curved_condition;

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
  CornerPaths<Q> corners;
  for (std::size_t i = 0; i < polynomials.size(); ++i)
    for (std::size_t c = 0; c < corners.size(); ++c)
      for (std::size_t k = 0; k < 3; ++k) {
        const Integer x = to_integer(scale.scaled(query.points[i][c][static_cast<int>(k)]));
        if (x != 0) corners[c][k] = corners[c][k] + Coefficients{x} * polynomials[i];
      }
  return corners;
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
  const CurvedCondition condition =
      condition_of(static_cast<const Q*>(nullptr), curved_corners(query));
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
  // All signs are constant between the roots of the polynomials of the condition, and the set of
  // contact times is closed, so its least element is one of these roots or 0.
  examine(SturmRoot::zero());
  examine_roots(condition.normal_sq);
  for (const Coefficients& p : condition.inside) examine_roots(p);
  for (const SegmentTest& segment : condition.segments) examine_roots(segment.events());
  return impact;
}

template <Query Q>
std::vector<std::array<double, 2>> instants(const Curved<Q>& query) {
  const CurvedCondition condition =
      condition_of(static_cast<const Q*>(nullptr), curved_corners(query));
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
