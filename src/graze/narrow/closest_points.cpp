#include "graze/narrow/closest_points.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
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

class Search {
 public:
  explicit Search(const DifferencePolygon& polygon)
      : e_(polygon.corners), size_(polygon.size), places_(size_ == 4 ? parallelogram : triangle) {
    best_.distance = std::numeric_limits<double>::infinity();
  }
  ClosestPoint best() const { return best_; }

  std::size_t edges() const { return size_ > 2 ? size_ : size_ - 1; }
  std::size_t next(std::size_t i) const { return i + 1 == size_ ? 0 : i + 1; }

  // Keeps the point if it is closer than those before it.
  bool offer(const Vec3& x, double alpha, double beta, double distance) {
    if (!(distance < best_.distance)) return false;
    best_.alpha = alpha;
    best_.beta = beta;
    best_.point = x;
    best_.distance = distance;
    return true;
  }
  bool offer_on_edge(std::size_t i, double s, const Vec3& x, double distance) {
    const Place &from = places_[i], &to = places_[next(i)];
    return offer(x, from.alpha + s * (to.alpha - from.alpha), from.beta + s * (to.beta - from.beta),
                 distance);
  }

 protected:
  const std::array<Vec3, 4>& e_;
  std::size_t size_;
  const std::array<Place, 4>& places_;
  ClosestPoint best_;
};

template <std::size_t n>
class EuclideanSearch {
 public:
  explicit EuclideanSearch(const std::array<Vec3, 4>& e) : e_(e) {
    // All edges, then the closest of them: nothing to predict.
    std::array<Vec3, edges> x;
    std::array<double, edges> s, sq;
    if constexpr (n == 1) {
      x[0] = e[0];
      s[0] = 0;
      sq[0] = x[0].squaredNorm();
    } else {
      for (std::size_t i = 0; i < edges; ++i) {
        const Vec3 &from = e[i], &to = e[next(i)], along = to - from;
        const double length_sq = along.squaredNorm();
        s[i] = length_sq > 0 ? std::clamp(-from.dot(along) / length_sq, 0.0, 1.0) : 0.0;
        x[i] = s[i] == 1 ? to : Vec3(from + s[i] * along);
        sq[i] = x[i].squaredNorm();
      }
    }
    std::size_t k = 0;
    for (std::size_t i = 1; i < edges; ++i) k = sq[i] < sq[k] ? i : k;
    const Place &from = places_of<n>[k], &to = places_of<n>[next(k)];
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
  static constexpr std::size_t edges = n > 2 ? n : std::max<std::size_t>(n - 1, 1);
  static constexpr std::size_t next(std::size_t i) { return i + 1 == n ? 0 : i + 1; }

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
class MaxNormSearch : Search {
 public:
  using Search::best;

  explicit MaxNormSearch(const DifferencePolygon& polygon) : Search(polygon) {
    for (int k = 0; k < 3; ++k) prove(Vec3::Unit(k));
    if (size_ == 1) offer(e_[0], 0, 0, size_of(e_[0]));
    for (std::size_t i = 0; i < edges(); ++i) edge(i);
    if (size_ > 2) face();
  }

 private:
  static double size_of(const Vec3& x) { return x.cwiseAbs().maxCoeff(); }

  void prove(const Vec3& n) {
    const double norm = n.lpNorm<1>();
    if (!(norm > 0)) return;
    double lo = n.dot(e_[0]), hi = lo;
    for (std::size_t i = 1; i < size_; ++i) {
      lo = std::min(lo, n.dot(e_[i]));
      hi = std::max(hi, n.dot(e_[i]));
    }
    for (const int side : {1, -1}) {
      const double room = (side > 0 ? lo : -hi) / norm;
      if (!(room > room_)) continue;
      room_ = room;
      best_.direction = side * n;
    }
  }
  void edge(std::size_t i) {
    const Vec3 from = e_[i], along = e_[next(i)] - from;
    if (size_ != 4 || i < 2) {  // opposite edges are parallel
      prove({0, -along[2], along[1]});
      prove({along[2], 0, -along[0]});
      prove({-along[1], along[0], 0});
    }
    const auto offer_at = [&](double s) {
      const Vec3 x = s == 1 ? e_[next(i)] : Vec3(from + s * along);
      offer_on_edge(i, s, x, size_of(x));
    };
    offer_at(0);
    offer_at(1);
    for (int k = 0; k < 3; ++k) {
      const int l = (k + 1) % 3;
      for (const int sign : {-1, 1}) {  // where |x_k| = |x_l|
        const double s = -(from[k] + sign * from[l]) / (along[k] + sign * along[l]);
        if (s > 0 && s < 1) offer_at(s);
      }
    }
  }
  void face() {
    const Vec3 p = e_[1] - e_[0], q = e_[size_ - 1] - e_[0], n = p.cross(q);
    prove(n);
    const double size = n.squaredNorm(), offset = n.dot(e_[0]);
    for (int corner = 0; corner < 4; ++corner) {  // where a diagonal of space meets the plane
      const Vec3 diagonal(corner & 1 ? -1 : 1, corner & 2 ? -1 : 1, 1);
      const Vec3 w = offset / n.dot(diagonal) * diagonal - e_[0];
      const double alpha = w.cross(q).dot(n) / size, beta = p.cross(w).dot(n) / size;
      if (!contains(size_, alpha, beta)) continue;
      const Vec3 x = e_[0] + alpha * p + beta * q;
      offer(x, alpha, beta, size_of(x));
    }
  }

  double room_ = -std::numeric_limits<double>::infinity();
};

// The polygon at t of the coordinates times a factor.
template <class Query>
DifferencePolygon polygon_at(const Query& query, double t, double factor) {
  auto x = query.start;
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = (1 - t) * (factor * query.start[i]) + t * (factor * query.end[i]);
  if constexpr (std::is_same_v<Query, EdgeEdge>)
    return {{x[2] - x[0], x[3] - x[0], x[3] - x[1], x[2] - x[1]}, 4};
  DifferencePolygon polygon;
  for (std::size_t i = 1; i < x.size(); ++i) polygon.corners[polygon.size++] = x[i] - x[0];
  return polygon;
}

double size_of(const DifferencePolygon& polygon) {
  double size = 0;
  for (std::size_t i = 0; i < polygon.size; ++i)
    size = std::max(size, polygon.corners[i].cwiseAbs().maxCoeff());
  return size;
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

template <class Query, class Find>
ClosestPoints closest(const Query& query, double t, Find&& find) {
  // Nothing may overflow, and no square underflow.
  double scale = 1;
  DifferencePolygon polygon = polygon_at(query, t, scale);
  if (const double size = size_of(polygon); size > 0 && !(size > 0x1p-100 && size < 0x1p100)) {
    scale = size < 1 ? 0x1p900 : 0x1p-900;
    polygon = polygon_at(query, t, scale);
  }
  const ClosestPoint found = find(polygon);
  ClosestPoints result;
  result.u = polygon.size == 4 ? found.beta : polygon.size > 1 ? found.alpha : nan;
  result.v = polygon.size == 4 ? found.alpha : polygon.size == 3 ? found.beta : nan;
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
ClosestPoint closest_to_zero_linf(const DifferencePolygon& polygon) {
  return MaxNormSearch(polygon).best();
}

ClosestPoints closest_points(const VertexFace& query, double t) {
  return closest(query, t, closest_to_zero);
}
ClosestPoints closest_points(const EdgeEdge& query, double t) {
  return closest(query, t, closest_to_zero);
}
ClosestPoints closest_points(const PointEdge& query, double t) {
  return closest(query, t, closest_to_zero);
}
ClosestPoints closest_points(const PointPoint& query, double t) {
  return closest(query, t, closest_to_zero);
}
ClosestPoints closest_points_linf(const VertexFace& query, double t) {
  return closest(query, t, closest_to_zero_linf);
}
ClosestPoints closest_points_linf(const EdgeEdge& query, double t) {
  return closest(query, t, closest_to_zero_linf);
}
ClosestPoints closest_points_linf(const PointEdge& query, double t) {
  return closest(query, t, closest_to_zero_linf);
}
ClosestPoints closest_points_linf(const PointPoint& query, double t) {
  return closest(query, t, closest_to_zero_linf);
}

}  // namespace graze
