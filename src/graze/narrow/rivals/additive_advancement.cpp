#include "graze/narrow/rivals/additive_advancement.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "graze/core/numeric/unit_roundoff.h"
#include "graze/narrow/batch.h"
#include "graze/narrow/check_count.h"
#include "graze/narrow/stop.h"

namespace graze::narrow {
namespace {

// All differences of a point of one primitive and a point of the other fill a convex polygon in
// space, a triangle (vertex-face) or a parallelogram (edge-edge), whose corners are differences of
// these corners of the query, in order around it. The distance of the primitives is that of the
// polygon from the origin.
struct CornerPair {
  std::size_t a, b;
};
template <class Query>
constexpr CornerPair polygon_corners[1] = {};
template <>
constexpr CornerPair polygon_corners<VertexFace>[3] = {{0, 1}, {0, 2}, {0, 3}};
template <>
constexpr CornerPair polygon_corners<EdgeEdge>[4] = {{0, 2}, {1, 2}, {1, 3}, {0, 3}};

// Lengths between these keep squares, cubes and their quotients far from overflow; beyond them the
// query is scaled by a power of two.
constexpr double smallest = 0x1p-100, largest = 0x1p100;

// Rounding, in units of u, on an axis where all differences of corners, as computed, are at most M
// in magnitude at t = 0 and t = 1. `start` is off by 1 M; `way`, the difference of two such, which
// is at most 2 M, by 2 M + 2 M; its product with t by 2 M more; the sum by M more: `at` is off by 8
// M. A product with a component n of any direction adds n M, and the two sums of n . at no more
// than 2 n M each over the axes: the dot product is off by u sum |n| (8 + 1 + 2) M < 12 u sum |n|
// M. 16 leaves room for the rounding of the bound itself and terms of second order.
//
// Underflow adds 2^-1075 to an error. M includes 2^-1020, which covers the underflow of coordinates
// (when they are scaled) and of `way` times t. dot_underflow covers that of the products with n, in
// the dot product and in the bound.
constexpr double dot_err = 16 * numeric::u, floor_of_largest = 0x1p-1020, dot_underflow = 0x1p-1070;

// On each axis `way` is off by 2 u M besides its own rounding. The rest of way_err is more than its
// length loses where squares underflow.
constexpr double way_err = 4 * numeric::u;

// A squared length above square_underflow is off by a factor within 3 u of 1; a root, quotient,
// product or difference by u. No bound below collects more than 8 u of these.
constexpr double square_underflow = 0x1p-900, few = 8 * numeric::u;

template <int n>
struct Polygon {
  Vec3 start[n], way[n];
  Vec3 largest_of;  // M
  double speed;     // no two points of the primitives approach faster
  double separation;
};

template <class Query>
auto polygon_of(const Query& query, double separation, double scale = 1) {
  constexpr int n = std::size(polygon_corners<Query>);
  Polygon<n> polygon;
  Vec3 m = Vec3::Zero();
  double way_sq = 0;
  for (int i = 0; i < n; ++i) {
    const auto [a, b] = polygon_corners<Query>[i];
    polygon.start[i] = scale * query.start[a] - scale * query.start[b];
    const Vec3 end = scale * query.end[a] - scale * query.end[b];
    polygon.way[i] = end - polygon.start[i];
    m = m.cwiseMax(polygon.start[i].cwiseAbs()).cwiseMax(end.cwiseAbs());
    way_sq = std::max(way_sq, polygon.way[i].squaredNorm());
  }
  polygon.largest_of = m + Vec3::Constant(floor_of_largest);
  polygon.speed = (std::sqrt(way_sq) + way_err * polygon.largest_of.sum()) * (1 + few);
  polygon.separation = separation;
  return polygon;
}

// A direction along which distances are measured. Every direction proves a bound; the direction of
// the closest point proves the best one.
struct Direction {
  Vec3 n;
  double sq = Impact::inf;  // n . n
};

// Clamps to [0, 1]; NaN, from 0 / 0, becomes 0. This form takes two instructions without a branch.
double clamped(double x) {
  const double y = x > 0 ? x : 0;
  return y < 1 ? y : 1;
}

// Sets `best` to the point of the segment [a, a + edge] closest to the origin, if that is closer.
void improve(const Vec3& a, const Vec3& edge, double length_sq, Direction& best) {
  const Vec3 closest = a + clamped(-a.dot(edge) / length_sq) * edge;
  const double sq = closest.squaredNorm();
  if (sq < best.sq) best = {closest, sq};
}

// Returns a direction without its component along an edge. Rounding leaves such a component, whose
// relative size grows as the edge comes closer.
Direction without(const Vec3& edge, double length_sq, const Vec3& direction) {
  const Vec3 n = direction - edge * (direction.dot(edge) / length_sq);
  return {n, n.squaredNorm()};
}

// Returns a lower bound of the distance of the exact polygon from the origin: its distance along a
// direction. `c` are its corners up to rounding. Returns 0 where n . n is so small that it may have
// underflowed. The form x |n| / |n|^2 lets the processor compute quotient and root in parallel.
template <int n>
[[gnu::always_inline]] inline double distance_in(const Direction& direction, const Vec3 (&c)[n],
                                                 const Vec3& m) {
  if (!(direction.sq > square_underflow)) return 0;
  double least = direction.n.dot(c[0]);
  for (int i = 1; i < n; ++i) least = std::min(least, direction.n.dot(c[i]));
  const double err = dot_err * direction.n.cwiseAbs().dot(m) + dot_underflow;
  return (least - err) / direction.sq * std::sqrt(direction.sq) * (1 - few);
}

// The corners of the polygon at a time, its sides e and f at c0, and the foot of the origin in its
// plane: c0 + (r e + s f) / det.
template <int n>
struct Placed {
  Vec3 c[n], e, f;
  double ee, ef, ff, ce, cf, r, s, det;

  Placed(const Polygon<n>& polygon, double t) {
    for (int i = 0; i < n; ++i) c[i] = polygon.start[i] + t * polygon.way[i];
    e = c[1] - c[0];
    f = c[n - 1] - c[0];
    ee = e.squaredNorm();
    ef = e.dot(f);
    ff = f.squaredNorm();
    ce = c[0].dot(e);
    cf = c[0].dot(f);
    r = ef * cf - ff * ce;
    s = ef * ce - ee * cf;
    det = ee * ff - ef * ef;
  }
  bool foot_is_inside() const {
    return r > 0 && s > 0 && (n == 3 ? r + s < det : r < det && s < det);
  }
  Vec3 normal() const {  // to the side away from the origin
    const Vec3 product = e.cross(f);
    return product.dot(c[0]) < 0 ? Vec3(-product) : product;
  }
};

// Returns the point of a triangle that is closest to the origin. If the foot is not inside, that
// point is on an edge that has the foot on its outer side.
Direction closest(const Placed<3>& p) {
  Direction best;
  if (p.foot_is_inside()) {
    best.n = p.c[0] + (p.r * p.e + p.s * p.f) / p.det;
    best.sq = best.n.squaredNorm();
    return best;
  }
  if (p.s <= 0) improve(p.c[0], p.e, p.ee, best);
  if (p.r <= 0) improve(p.c[0], p.f, p.ff, best);
  if (p.r + p.s >= p.det) improve(p.c[1], p.c[2] - p.c[1], p.ee - 2 * p.ef + p.ff, best);
  return best;
}

// Returns the point of a parallelogram that is closest to the origin. For a given place along one
// side, the best place along the other side can be computed directly, so three steps find the
// closest point.
Direction closest(const Placed<4>& p) {
  const double per_ee = 1 / p.ee, per_ff = 1 / p.ff;
  const double along_e = clamped(p.r / p.det);
  const double along_f = clamped(-(p.cf + along_e * p.ef) * per_ff);
  const Vec3 n = p.c[0] + clamped(-(p.ce + along_f * p.ef) * per_ee) * p.e + along_f * p.f;
  return {n, n.squaredNorm()};
}

// Returns the best lower bound of the distance from the normal and from the closest point of all
// edges.
template <int n>
[[gnu::noinline]] double distance_closely(const Placed<n>& p, const Vec3& m) {
  const Vec3 normal = p.normal();
  Direction best, corrected{Vec3::Zero(), 0};
  for (int i = 0; i < n; ++i) {
    const Vec3 edge = p.c[(i + 1) % n] - p.c[i];
    const double length_sq = edge.squaredNorm(), before = best.sq;
    improve(p.c[i], edge, length_sq, best);
    if (best.sq < before) corrected = without(edge, length_sq, best.n);
  }
  const bool along_e = p.ee > p.ff;
  return std::max(
      {distance_in(best, p.c, m), distance_in(corrected, p.c, m),
       distance_in({normal, normal.squaredNorm()}, p.c, m),
       distance_in(without(along_e ? p.e : p.f, along_e ? p.ee : p.ff, normal), p.c, m)});
}

// Returns a lower bound of the distance at time t. The direction of the closest point gives the
// bound, unless the point is so close that rounding has turned the direction; then the normal gives
// it, if the foot is well inside. All directions are tested where neither is reliable: where
// rounding decides the signs of r and s, as in narrow polygons.
template <int n>
double distance_at(const Polygon<n>& polygon, double t) {
  const Placed<n> p(polygon, t);
  const Vec3& m = polygon.largest_of;
  constexpr double narrow = 0x1p-10, close_to_one = 0.98;
  const Direction direction = closest(p);
  const double distance = distance_in(direction, p.c, m);
  if (distance > 0 && distance * distance > close_to_one * direction.sq) return distance;
  if (!p.foot_is_inside() || p.det < narrow * (p.ee * p.ff))
    return std::max(distance, distance_closely(p, m));
  const Vec3 normal = p.normal();
  return distance_in({normal, normal.squaredNorm()}, p.c, m);
}

// `taken` is the fraction of the free time that a step advances, and `left` the fraction of the
// first gap at which the search ends, as in [Li 2021]. `safe` is the fraction of the computed free
// time that is free whatever the rounding of its length and of the time after it.
constexpr double taken = 0.9, left = 0.1, safe = 0.95;

// DEVIATION: the speed of [Li 2021] is, after the mean motion is subtracted, the largest speed in
// one primitive plus the largest in the other. The largest relative speed is never more and needs
// no mean. Positions are computed from the start, not from one step to the next, so that rounding
// does not add up.
template <int n>
Impact advance(const Polygon<n>& polygon, const MethodOptions& options) {
  const double slowness = 1 / polygon.speed;
  double t = 0, next = 0, least_gap = 0;
  for (std::uint32_t checks = 1;; count_check(checks)) {
    const double gap = distance_at(polygon, next) - polygon.separation;
    if (checks == 1) least_gap = left * gap;
    if (t > 0 && gap < least_gap) return Impact::contact(t, options.t_max, checks);
    t = next;
    if (!(gap > 0)) return Impact::contact(t, options.t_max, checks);
    const double free = gap * slowness;
    if (options.t_max - t <= safe * free) return Impact::separated(checks);
    if (is_spent(checks, options)) return Impact::undecided(t, options.t_max, checks);
    next = t + taken * free;
    if (!(next > t && next - t <= safe * free)) return Impact::contact(t, options.t_max, checks);
  }
}

template <class Query>
Impact answer(const Query& query, const MethodOptions& options) {
  const auto polygon = polygon_of(query, options.min_separation);
  const double size = polygon.largest_of.maxCoeff();
  if (size >= smallest && size <= largest) return advance(polygon, options);
  const double scale = std::ldexp(1.0, std::clamp(-std::ilogb(size), -1000, 1000));
  // Never smaller than the exact product.
  const double separation =
      options.min_separation > 0 ? options.min_separation * scale + 0x1p-1074 : 0;
  return advance(polygon_of(query, separation, scale), options);
}

template <class Query>
void solve(std::span<const Query> queries, const MethodOptions& options,
           std::span<Impact> impacts) {
  solve_each(queries, options, Norm::l2, impacts,
             [&](const Query& query) { return answer(query, options); });
}

}  // namespace

void additive_advancement(std::span<const VertexFace> queries, const MethodOptions& options,
                          std::span<Impact> impacts) {
  solve(queries, options, impacts);
}
void additive_advancement(std::span<const EdgeEdge> queries, const MethodOptions& options,
                          std::span<Impact> impacts) {
  solve(queries, options, impacts);
}

}  // namespace graze::narrow
