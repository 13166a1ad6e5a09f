#include "graze/narrow/closest_points.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <type_traits>

#include "graze/core/strict_arithmetic.h"
#include "graze/narrow/contact_point.h"

namespace graze {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// alpha and beta of the corners.
struct Place {
  double alpha, beta;
};
constexpr std::array<Place, 4> triangle{{{0, 0}, {1, 0}, {0, 1}, {0, 1}}};
constexpr std::array<Place, 4> parallelogram{{{0, 0}, {1, 0}, {1, 1}, {0, 1}}};
template <std::size_t n>
constexpr const std::array<Place, 4>& places_of = n == 4 ? parallelogram : triangle;

bool contains(std::size_t size, double alpha, double beta) {
  return alpha >= 0 && beta >= 0 && (size == 4 ? alpha <= 1 && beta <= 1 : alpha + beta <= 1);
}

constexpr std::size_t edges_of(std::size_t n) {
  return n > 2 ? n : std::max<std::size_t>(n - 1, 1);
}
template <std::size_t n>
constexpr std::size_t next(std::size_t i) {
  return i + 1 == n ? 0 : i + 1;
}
// Keeps -0, as std::clamp does, in two instructions.
double clamped(double x) {
  const double y = x < 0 ? 0 : x;
  return y > 1 ? 1 : y;
}

template <std::size_t n>
class EuclideanSearch {
 public:
  [[gnu::always_inline]] explicit EuclideanSearch(const std::array<Vec3, 4>& e) : e_(e) {
    // All edges, then the closest of them: nothing to predict.
    std::array<Vec3, edges> x;
    std::array<double, edges> s, sq;
    if constexpr (n == 1) {
      x[0] = e[0];
      s[0] = 0;
      sq[0] = x[0].squaredNorm();
    } else {
      for (std::size_t i = 0; i < edges; ++i) {
        const Vec3 &from = e[i], &to = e[next<n>(i)], along = to - from;
        const double length_sq = along.squaredNorm();
        s[i] = length_sq > 0 ? clamped(-from.dot(along) / length_sq) : 0.0;
        x[i] = s[i] == 1 ? to : Vec3(from + s[i] * along);
        sq[i] = x[i].squaredNorm();
      }
    }
    std::size_t k = 0;
    for (std::size_t i = 1; i < edges; ++i) k = sq[i] < sq[k] ? i : k;
    const Place &from = places_of<n>[k], &to = places_of<n>[next<n>(k)];
    best_.alpha = from.alpha + s[k] * (to.alpha - from.alpha);
    best_.beta = from.beta + s[k] * (to.beta - from.beta);
    best_.point = best_.direction = x[k];
    best_.distance = sq[k];
    best_.on_edge = s[k] > 0 && s[k] < 1;
    best_.edge = k;
    if constexpr (n > 2) face();
    best_.distance = std::sqrt(best_.distance);
  }
  const ClosestPoint& best() const { return best_; }

 private:
  static constexpr std::size_t edges = edges_of(n);

  void face() {
    const Vec3 p = e_[1] - e_[0], q = e_[n - 1] - e_[0], normal = p.cross(q);
    const double size = normal.squaredNorm();
    if (!(size > 0)) return;
    const double alpha = q.cross(e_[0]).dot(normal) / size;
    const double beta = e_[0].cross(p).dot(normal) / size;
    if (!contains(n, alpha, beta)) return;
    const Vec3 x = e_[0] + alpha * p + beta * q;
    const double sq = x.squaredNorm();
    if (!(sq < best_.distance)) return;
    best_ = {alpha, beta, x, normal.dot(e_[0]) < 0 ? Vec3(-normal) : normal, sq};
  }

  const std::array<Vec3, 4>& e_;
  ClosestPoint best_;
};

// The least of |x|, and the largest of the bounds that directions prove, each over a finite list
// that contains the optimum: the polygon touches the cube of that size at a corner of one of the
// two, or where edges cross.
template <std::size_t n>
class MaxNormSearch {
 public:
  explicit MaxNormSearch(const std::array<Vec3, 4>& e) : e_(e) {
    best_.distance = std::numeric_limits<double>::infinity();
    for (int k = 0; k < 3; ++k) {
      double lo = e[0][k], hi = lo;
      for (std::size_t i = 1; i < n; ++i) {
        lo = std::min(lo, e[i][k]);
        hi = std::max(hi, e[i][k]);
      }
      prove(lo, hi, 1, Vec3::Unit(k));
    }
    offer(e[0], places_of<n>[0], size_of(e[0]));
    if constexpr (n > 1)
      for (std::size_t i = 0; i < edges_of(n); ++i) edge(i);
    if constexpr (n > 2) face();
  }
  const ClosestPoint& best() const { return best_; }

 private:
  static double size_of(const Vec3& x) { return x.cwiseAbs().maxCoeff(); }

  // direction.e lies in [lo, hi].
  void prove(double lo, double hi, double norm, const Vec3& direction) {
    const double room = std::max(lo, -hi) / norm;
    if (!(norm > 0 && room > room_)) return;
    room_ = room;
    best_.direction = (lo >= -hi ? 1 : -1) * direction;
  }
  void offer(const Vec3& x, const Place& place, double distance) {
    if (!(distance < best_.distance)) return;
    best_.distance = distance;
    best_.point = x;
    best_.alpha = place.alpha;
    best_.beta = place.beta;
  }
  void edge(std::size_t i) {
    const Vec3 &from = e_[i], &to = e_[next<n>(i)], along = to - from;
    if (n != 4 || i < 2) {  // opposite edges are parallel
      Vec3 lo = along.cross(e_[0]), hi = lo;
      for (std::size_t j = 1; j < n; ++j) {
        const Vec3 x = along.cross(e_[j]);
        lo = lo.cwiseMin(x);
        hi = hi.cwiseMax(x);
      }
      const Vec3 size = along.cwiseAbs();
      prove(lo[0], hi[0], size[2] + size[1], {0, -along[2], along[1]});
      prove(lo[1], hi[1], size[2] + size[0], {along[2], 0, -along[0]});
      prove(lo[2], hi[2], size[1] + size[0], {-along[1], along[0], 0});
    }
    offer(to, places_of<n>[next<n>(i)], size_of(to));
    // No point of the edge is closer than the coordinate that stays farthest from 0, up to
    // rounding.
    double least = 0;
    for (int k = 0; k < 3; ++k)
      least = std::max({least, std::min(from[k], to[k]), std::min(-from[k], -to[k])});
    if (least > best_.distance + 0x1p-48 * (size_of(from) + size_of(to))) return;
    std::array<double, 6> s;  // where |x_k| = |x_l|
    for (int k = 0; k < 3; ++k) {
      const int l = (k + 1) % 3;
      s[static_cast<std::size_t>(2 * k)] = -(from[k] - from[l]) / (along[k] - along[l]);
      s[static_cast<std::size_t>(2 * k) + 1] = -(from[k] + from[l]) / (along[k] + along[l]);
    }
    std::array<double, 6> distance;
    for (std::size_t k = 0; k < 6; ++k)
      distance[k] = s[k] > 0 && s[k] < 1 ? size_of(from + s[k] * along)
                                         : std::numeric_limits<double>::infinity();
    std::size_t k = 0;
    for (std::size_t j = 1; j < 6; ++j) k = distance[j] < distance[k] ? j : k;
    const Place &a = places_of<n>[i], &b = places_of<n>[next<n>(i)];
    offer(from + s[k] * along,
          {a.alpha + s[k] * (b.alpha - a.alpha), a.beta + s[k] * (b.beta - a.beta)}, distance[k]);
  }
  void face() {
    const Vec3 p = e_[1] - e_[0], q = e_[n - 1] - e_[0], normal = p.cross(q);
    double lo = normal.dot(e_[0]), hi = lo;
    const double offset = lo;
    for (std::size_t i = 1; i < n; ++i) {
      lo = std::min(lo, normal.dot(e_[i]));
      hi = std::max(hi, normal.dot(e_[i]));
    }
    prove(lo, hi, normal.lpNorm<1>(), normal);
    const double size = normal.squaredNorm();
    for (int corner = 0; corner < 4; ++corner) {  // where a diagonal of space meets the plane
      const Vec3 diagonal(corner & 1 ? -1 : 1, corner & 2 ? -1 : 1, 1);
      const Vec3 w = offset / normal.dot(diagonal) * diagonal - e_[0];
      const double alpha = w.cross(q).dot(normal) / size, beta = p.cross(w).dot(normal) / size;
      if (!contains(n, alpha, beta)) continue;
      const Vec3 x = e_[0] + alpha * p + beta * q;
      offer(x, {alpha, beta}, size_of(x));
    }
  }

  const std::array<Vec3, 4>& e_;
  ClosestPoint best_;
  double room_ = -std::numeric_limits<double>::infinity();
};

// The polygon at t of the coordinates times a factor.
template <class Query>
[[gnu::always_inline]] inline DifferencePolygon polygon_at(const Query& query, double t,
                                                           double factor) {
  auto x = query.start;
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = (1 - t) * (factor * query.start[i]) + t * (factor * query.end[i]);
  if constexpr (std::is_same_v<Query, EdgeEdge>)
    return {{x[2] - x[0], x[3] - x[0], x[3] - x[1], x[2] - x[1]}, 4};
  DifferencePolygon polygon;
  for (std::size_t i = 1; i < x.size(); ++i) polygon.corners[polygon.size++] = x[i] - x[0];
  return polygon;
}

Vec3 touching_normal(const VertexFace& query, double t) {
  Impact impact = Impact::contact(t, t);
  locate_contact(query, impact);
  return impact.normal;
}
Vec3 touching_normal(const EdgeEdge& query, double t) {
  Impact impact = Impact::contact(t, t);
  locate_contact(query, impact);
  return impact.normal;
}
template <class Query>
Vec3 touching_normal(const Query& query, double t) {
  return touching_normal(as_vertex_face(query), t);
}

template <template <std::size_t> class Search, class Query>
ClosestPoints closest(const Query& query, double t) {
  constexpr std::size_t n =
      std::is_same_v<Query, EdgeEdge> ? 4 : std::tuple_size_v<decltype(Query::start)> - 1;
  // Nothing may overflow, and no square underflow.
  double scale = 1;
  DifferencePolygon polygon = polygon_at(query, t, scale);
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i)
    largest = std::max(largest, polygon.corners[i].cwiseAbs().maxCoeff());
  if (largest > 0 && !(largest > 0x1p-100 && largest < 0x1p100)) {
    scale = largest < 1 ? 0x1p900 : 0x1p-900;
    polygon = polygon_at(query, t, scale);
  }
  const Search<n> search(polygon.corners);
  const ClosestPoint& found = search.best();
  ClosestPoints result;
  result.u = n == 4 ? found.beta : n > 1 ? found.alpha : nan;
  result.v = n == 4 ? found.alpha : n == 3 ? found.beta : nan;
  result.distance = found.distance / scale;
  const double size = found.direction.cwiseAbs().maxCoeff();
  result.normal = found.distance > 0 && size > 0 && size < Impact::inf
                      ? Vec3(-(found.direction / size).normalized())
                      : touching_normal(query, t);
  return result;
}

}  // namespace

ClosestPoint closest_to_zero(const DifferencePolygon& polygon) {
  switch (polygon.size) {
    case 1:
      return EuclideanSearch<1>(polygon.corners).best();
    case 2:
      return EuclideanSearch<2>(polygon.corners).best();
    case 3:
      return EuclideanSearch<3>(polygon.corners).best();
    default:
      return EuclideanSearch<4>(polygon.corners).best();
  }
}

ClosestPoints closest_points(const VertexFace& query, double t) {
  return closest<EuclideanSearch>(query, t);
}
ClosestPoints closest_points(const EdgeEdge& query, double t) {
  return closest<EuclideanSearch>(query, t);
}
ClosestPoints closest_points(const PointEdge& query, double t) {
  return closest<EuclideanSearch>(query, t);
}
ClosestPoints closest_points(const PointPoint& query, double t) {
  return closest<EuclideanSearch>(query, t);
}
ClosestPoints closest_points_linf(const VertexFace& query, double t) {
  return closest<MaxNormSearch>(query, t);
}
ClosestPoints closest_points_linf(const EdgeEdge& query, double t) {
  return closest<MaxNormSearch>(query, t);
}
ClosestPoints closest_points_linf(const PointEdge& query, double t) {
  return closest<MaxNormSearch>(query, t);
}
ClosestPoints closest_points_linf(const PointPoint& query, double t) {
  return closest<MaxNormSearch>(query, t);
}

}  // namespace graze
