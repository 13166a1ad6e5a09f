#include "graze/narrow/rivals/additive_advancement.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "graze/narrow/batch.h"

namespace graze {
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

constexpr double u = 0x1p-53;

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
// Where something underflows it is off by 2^-1075 besides. For coordinates (scaling them may do it)
// and for `way` times t that is covered by counting 2^-1020 into M, for the products with n, in the
// dot product and in the bound, by 2^-1070.
constexpr double dot_err = 16 * u, floor_of_largest = 0x1p-1020, dot_underflow = 0x1p-1070;

// sqrt(n . n) is off by 3 units of its own, or where the squares underflow by 2^-536 at most.
constexpr double norm_err = 4 * u, norm_underflow = 0x1p-535;

// `way` is off by 2 u M besides its own rounding on each axis.
constexpr double way_err = 4 * u;

// A quotient, a difference and their products are off by less than this factor from one.
constexpr double few = 8 * u;

template <int n>
struct Polygon {
  Vec3 start[n], way[n];
  Vec3 largest_of;  // M
  double speed;     // no two points of the primitives approach faster
  double size_sq;   // of M
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
  polygon.size_sq = polygon.largest_of.squaredNorm();
  polygon.speed =
      (std::sqrt(way_sq) + way_err * polygon.largest_of.sum()) * (1 + few) + norm_underflow;
  polygon.separation = separation;
  return polygon;
}

// A direction to measure distances in; any is good for a proof, that of the closest point for the
// bound.
struct Direction {
  Vec3 n;
  double sq = Impact::inf;  // n . n
};

// Makes `best` the point of the segment [a, b] closest to the origin, if that is closer.
void improve(const Vec3& a, const Vec3& edge, double length_sq, Direction& best) {
  const double along = -a.dot(edge) / length_sq;
  const double inner = along > 0 ? std::min(along, 1.0) : 0;  // 0 for a segment without length
  const Vec3 closest = a + inner * edge;
  const double sq = closest.squaredNorm();
  if (sq < best.sq) best = {closest, sq};
}

// Takes out of a direction what rounding left in it of that of an edge; it weighs the more the
// closer the edge is.
Direction without(const Vec3& edge, double length_sq, const Vec3& direction) {
  const Vec3 n = direction - edge * (direction.dot(edge) / length_sq);
  return {n, n.squaredNorm()};
}

// A lower bound of the distance of the exact polygon, `c` being its corners up to rounding: how far
// it is from the origin in a direction.
template <int n>
double distance_in(const Direction& direction, const Vec3 (&c)[n], const Vec3& m) {
  const double norm = std::sqrt(direction.sq) * (1 + norm_err) + norm_underflow;
  double least = direction.n.dot(c[0]);
  for (int i = 1; i < n; ++i) least = std::min(least, direction.n.dot(c[i]));
  const double err = dot_err * direction.n.cwiseAbs().dot(m) + dot_underflow;
  return (least - err) * (1 / norm) * (1 - few);
}

// The same in the direction of the closest point of all edges.
template <int n>
double distance_by_edges(const Vec3 (&c)[n], const Vec3& m) {
  Direction best, corrected;
  for (int i = 0; i < n; ++i) {
    const Vec3 edge = c[(i + 1) % n] - c[i];
    const double length_sq = edge.squaredNorm(), before = best.sq;
    improve(c[i], edge, length_sq, best);
    if (best.sq < before) corrected = without(edge, length_sq, best.n);
  }
  return std::max(distance_in(best, c, m), distance_in(corrected, c, m));
}

// A lower bound of the distance at time t.
//
// If the foot of the origin in the plane of the polygon is inside, the direction is the normal. If
// not, the closest point is on an edge that has the foot on its outer side. All edges are asked
// where the signs that told so may have been rounding, in narrow polygons, and where the point is
// too close for its direction to be good.
template <int n>
double distance_at(const Polygon<n>& polygon, double t) {
  Vec3 c[n];
  for (int i = 0; i < n; ++i) c[i] = polygon.start[i] + t * polygon.way[i];
  // The foot is c0 + (r e + s f) / det.
  const Vec3 e = c[1] - c[0], f = c[n - 1] - c[0];
  const double ee = e.squaredNorm(), ef = e.dot(f), ff = f.squaredNorm();
  const double ce = c[0].dot(e), cf = c[0].dot(f);
  const double r = ef * cf - ff * ce, s = ef * ce - ee * cf, det = ee * ff - ef * ef;
  Direction direction;
  if (s < 0) improve(c[0], e, ee, direction);
  if (r < 0) improve(c[0], f, ff, direction);
  if constexpr (n == 3) {
    if (r + s > det) improve(c[1], c[2] - c[1], ee - 2 * ef + ff, direction);
  } else {
    if (r > det) improve(c[1], f, ff, direction);
    if (s > det) improve(c[3], e, ee, direction);
  }
  const bool inside = direction.sq == Impact::inf;
  if (inside) {
    direction.n = e.cross(f);
    direction.sq = direction.n.squaredNorm();
    if (direction.n.dot(c[0]) < 0) direction.n = -direction.n;
  }
  const double distance = distance_in(direction, c, polygon.largest_of);
  constexpr double narrow = 0x1p-10, close = 0x1p-30, close_to_one = 0.9;
  if (inside ? det > narrow * (ee * ff)
             : direction.sq > close * polygon.size_sq && distance > 0 &&
                   distance * distance > close_to_one * direction.sq)
    return distance;
  const Direction corrected = ee > ff ? without(e, ee, direction.n) : without(f, ff, direction.n);
  return std::max({distance, distance_in(corrected, c, polygon.largest_of),
                   distance_by_edges(c, polygon.largest_of)});
}

// The parts of a step that are taken and of the gap that are left, as in [Li 2021], and the part of
// a step that is safe whatever rounding did to its length and to the time it leads to.
constexpr double taken = 0.9, left = 0.1, safe = 0.95;

// DEVIATION: [Li 2021] takes for the speed, after the mean motion is subtracted, the largest of one
// primitive plus the largest of the other. The largest difference of two is never more and needs no
// mean. Positions are computed from the start, not from one step to the next, so that rounding does
// not add up.
template <int n>
Impact advance(const Polygon<n>& polygon, const Options& options) {
  double t = 0, gap = distance_at(polygon, 0) - polygon.separation;
  if (!(gap > 0)) return Impact::contact(0, options.t_max, 1);
  const double least_gap = left * gap, slowness = 1 / polygon.speed;
  for (std::uint32_t checks = 1;; ++checks) {
    const double free = gap * slowness;
    if (options.t_max - t <= safe * free) return Impact::separated(checks);
    if (checks == options.max_checks) return Impact::undecided(t, options.t_max, checks);
    const double next = t + taken * free;
    if (!(next > t && next - t <= safe * free)) return Impact::contact(t, options.t_max, checks);
    gap = distance_at(polygon, next) - polygon.separation;
    if (t > 0 && gap < least_gap) return Impact::contact(t, options.t_max, checks + 1);
    t = next;
    if (!(gap > 0)) return Impact::contact(t, options.t_max, checks + 1);
  }
}

template <class Query>
Impact answer(const Query& query, const Options& options) {
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
void solve(std::span<const Query> queries, const Options& options, std::span<Impact> impacts) {
  solve_each(queries, options, Norm::l2, impacts,
             [&](const Query& query) { return answer(query, options); });
}

}  // namespace

void additive_advancement(std::span<const VertexFace> queries, const Options& options,
                          std::span<Impact> impacts) {
  solve(queries, options, impacts);
}
void additive_advancement(std::span<const EdgeEdge> queries, const Options& options,
                          std::span<Impact> impacts) {
  solve(queries, options, impacts);
}

}  // namespace graze
