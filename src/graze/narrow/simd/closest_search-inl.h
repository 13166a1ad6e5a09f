// The closest point of a polygon to 0, one polygon per lane, in both norms; compiled once for every
// SIMD target. Every lane has the bits of plain double arithmetic, whatever the target.

#if defined(GRAZE_NARROW_CLOSEST_SEARCH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GRAZE_NARROW_CLOSEST_SEARCH_INL_H_
#undef GRAZE_NARROW_CLOSEST_SEARCH_INL_H_
#else
#define GRAZE_NARROW_CLOSEST_SEARCH_INL_H_
#endif

#include <array>
#include <limits>
#include <type_traits>

#include "graze/impact.h"
#include "graze/method.h"
#include "graze/narrow/simd/exact_root-inl.h"

HWY_BEFORE_NAMESPACE();
namespace graze::narrow::HWY_NAMESPACE {

// ClosestPoint of closest_points.h, one per lane.
template <class T>
struct Closest {
  T alpha, beta, distance;
  Vec<T> direction, along;
};

// The corners in order around the polygon; place() gives their alpha and beta.
template <std::size_t n, class T>
using Polygon = std::array<Vec<T>, n>;

struct Place {
  double alpha, beta;
};
inline constexpr Place triangle_places[] = {{0, 0}, {1, 0}, {0, 1}};
inline constexpr Place parallelogram_places[] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
template <std::size_t n>
constexpr Place place(std::size_t i) {
  return n == 4 ? parallelogram_places[i] : triangle_places[i];
}
template <std::size_t n>
constexpr std::size_t following(std::size_t i) {
  return i + 1 == n ? 0 : i + 1;
}
constexpr std::size_t edges_of(std::size_t n) {
  return n > 2 ? n : n > 1 ? n - 1 : 1;
}

template <class T>
HWY_INLINE T largest_of(const Vec<T>& a) {
  return larger(larger(abs_of(a.x), abs_of(a.y)), abs_of(a.z));
}
template <std::size_t n, class T>
HWY_INLINE typename T::Mask contains(T alpha, T beta) {
  const T zero(0.0), one(1.0);
  const auto positive = (alpha >= zero) & (beta >= zero);
  if constexpr (n == 4) return positive & (one >= alpha) & (one >= beta);
  return positive & (one >= alpha + beta);
}

// ---- Euclidean norm ----------------------------------------------------------------------------

template <std::size_t n, class T>
class EuclideanSearch {
 public:
  explicit HWY_INLINE EuclideanSearch(const Polygon<n, T>& e) {
    for (std::size_t i = 0; i < edges_of(n); ++i) edge(e, i);
    if constexpr (n > 2) face(e);
    best_.distance = square_root(sq_);
  }
  HWY_INLINE const Closest<T>& best() const { return best_; }

 private:
  HWY_INLINE void edge(const Polygon<n, T>& e, std::size_t i) {
    const T zero(0.0), one(1.0);
    const Vec<T>&from = e[i], &to = e[following<n>(i)], along = to - from;
    const T length_sq = dot(along, along);
    T s = -dot(from, along) / length_sq;
    s = select(s < zero, zero, s);
    s = select(s > one, one, s);
    s = select(length_sq > zero, s, zero);
    const Vec<T> x = select(s < one, from + s * along, to);
    const T sq = dot(x, x);
    const Place a = place<n>(i), b = place<n>(following<n>(i));
    const T alpha = T(a.alpha) + s * T(b.alpha - a.alpha);
    const T beta = T(a.beta) + s * T(b.beta - a.beta);
    const Vec<T> inside = select((s > zero) & (s < one), along, Vec<T>{zero, zero, zero});
    if (i == 0) {
      best_ = {alpha, beta, sq, x, inside};
      sq_ = sq;
    } else {
      improve(sq < sq_, sq, {alpha, beta, sq, x, inside});
    }
  }
  HWY_INLINE void face(const Polygon<n, T>& e) {
    const Vec<T> p = e[1] - e[0], q = e[n - 1] - e[0], normal = cross(p, q);
    const T zero(0.0), size = dot(normal, normal);
    const T alpha = dot(cross(q, e[0]), normal) / size;
    const T beta = dot(cross(e[0], p), normal) / size;
    const Vec<T> x = e[0] + alpha * p + beta * q;
    const T sq = dot(x, x);
    const Vec<T> away = select(dot(normal, e[0]) < zero, T(-1.0) * normal, normal);
    improve((size > zero) & contains<n>(alpha, beta) & (sq < sq_), sq,
            {alpha, beta, sq, away, {zero, zero, zero}});
  }
  HWY_INLINE void improve(typename T::Mask better, T sq, const Closest<T>& x) {
    sq_ = select(better, sq, sq_);
    best_.alpha = select(better, x.alpha, best_.alpha);
    best_.beta = select(better, x.beta, best_.beta);
    best_.direction = select(better, x.direction, best_.direction);
    best_.along = select(better, x.along, best_.along);
  }

  T sq_;
  Closest<T> best_;
};

// ---- max norm ----------------------------------------------------------------------------------

// The direction that proves the largest bound, from a finite list that contains the best direction.
template <std::size_t n, class T>
class MaxNormDirection {
 public:
  explicit HWY_INLINE MaxNormDirection(const Polygon<n, T>& e) {
    const T zero(0.0), one(1.0);
    Vec<T> lo = e[0], hi = lo;
    for (std::size_t i = 1; i < n; ++i) {
      lo = {smaller(lo.x, e[i].x), smaller(lo.y, e[i].y), smaller(lo.z, e[i].z)};
      hi = larger(hi, e[i]);
    }
    prove(lo.x, hi.x, one, {one, zero, zero});
    prove(lo.y, hi.y, one, {zero, one, zero});
    prove(lo.z, hi.z, one, {zero, zero, one});
    if constexpr (n > 1)  // opposite edges of a parallelogram are parallel
      for (std::size_t i = 0; i < (n == 4 ? 2 : edges_of(n)); ++i) edge(e, i);
    if constexpr (n > 2) {
      const Vec<T> normal = cross(e[1] - e[0], e[n - 1] - e[0]), size = abs_of(normal);
      T least = dot(normal, e[0]), most = least;
      for (std::size_t i = 1; i < n; ++i) {
        least = smaller(least, dot(normal, e[i]));
        most = larger(most, dot(normal, e[i]));
      }
      prove(least, most, size.x + size.y + size.z, normal);
    }
  }
  HWY_INLINE const Vec<T>& direction() const { return direction_; }
  HWY_INLINE T room() const { return room_; }

 private:
  HWY_INLINE void edge(const Polygon<n, T>& e, std::size_t i) {
    const Vec<T> along = e[following<n>(i)] - e[i], size = abs_of(along);
    Vec<T> lo = cross(along, e[0]), hi = lo;
    for (std::size_t j = 1; j < n; ++j) {
      const Vec<T> x = cross(along, e[j]);
      lo = {smaller(lo.x, x.x), smaller(lo.y, x.y), smaller(lo.z, x.z)};
      hi = larger(hi, x);
    }
    const T zero(0.0);
    prove(lo.x, hi.x, size.z + size.y, {zero, -along.z, along.y});
    prove(lo.y, hi.y, size.z + size.x, {along.z, zero, -along.x});
    prove(lo.z, hi.z, size.y + size.x, {-along.y, along.x, zero});
  }
  // Takes the direction if it proves a larger bound. direction.e is in [lo, hi] at all corners e.
  HWY_INLINE void prove(T lo, T hi, T norm, const Vec<T>& direction) {
    const T room = larger(lo, -hi) / norm;
    const auto better = (norm > T(0.0)) & (room > room_);
    room_ = select(better, room, room_);
    direction_ = select(better, select(lo >= -hi, T(1.0), T(-1.0)) * direction, direction_);
  }

  T room_ = T(-std::numeric_limits<double>::infinity());
  Vec<T> direction_ = {T(0.0), T(0.0), T(0.0)};
};

// The point with the least |x|, from a finite list that contains the closest point: the polygon
// touches the cube of that size at a corner of one of the two, or where edges cross.
template <std::size_t n, class T>
class MaxNormSearch {
 public:
  explicit HWY_INLINE MaxNormSearch(const Polygon<n, T>& e) {
    best_.direction = MaxNormDirection<n, T>(e).direction();
    const T zero(0.0);
    best_.along = {zero, zero, zero};
    best_.distance = largest_of(e[0]);
    best_.alpha = best_.beta = zero;
    if constexpr (n > 1)
      for (std::size_t i = 0; i < edges_of(n); ++i) edge(e, i);
    if constexpr (n > 2) face(e);
  }
  HWY_INLINE const Closest<T>& best() const { return best_; }

 private:
  HWY_INLINE void offer(typename T::Mask valid, T alpha, T beta, T distance) {
    const auto better = valid & (distance < best_.distance);
    best_.distance = select(better, distance, best_.distance);
    best_.alpha = select(better, alpha, best_.alpha);
    best_.beta = select(better, beta, best_.beta);
  }
  HWY_INLINE void edge(const Polygon<n, T>& e, std::size_t i) {
    const T zero(0.0), one(1.0), infinite(std::numeric_limits<double>::infinity());
    const Vec<T>&from = e[i], &to = e[following<n>(i)], along = to - from;
    const Place a = place<n>(i), b = place<n>(following<n>(i));
    const T corner = largest_of(to);
    offer(corner < infinite, T(b.alpha), T(b.beta), corner);
    // No point of the edge is closer than the coordinate that stays farthest from 0, up to
    // rounding.
    T least = zero;
    for (const auto x : {&Vec<T>::x, &Vec<T>::y, &Vec<T>::z})
      least = larger(least, larger(smaller(from.*x, to.*x), smaller(-(from.*x), -(to.*x))));
    const auto open = !(least > best_.distance + T(0x1p-48) * (largest_of(from) + corner));
    if (!open.any()) return;
    // The candidates inside the edge are the points at which two coordinates are equal or opposite.
    T s = zero, distance = infinite;
    const auto meet = [&](T place_, bool first) {
      const T at = largest_of(from + place_ * along);
      const T there = select((place_ > zero) & (place_ < one), at, infinite);
      const auto better = there < distance;
      s = first ? place_ : select(better, place_, s);
      distance = first ? there : select(better, there, distance);
    };
    meet(-(from.x - from.y) / (along.x - along.y), true);
    meet(-(from.x + from.y) / (along.x + along.y), false);
    meet(-(from.y - from.z) / (along.y - along.z), false);
    meet(-(from.y + from.z) / (along.y + along.z), false);
    meet(-(from.z - from.x) / (along.z - along.x), false);
    meet(-(from.z + from.x) / (along.z + along.x), false);
    offer(open, T(a.alpha) + s * T(b.alpha - a.alpha), T(a.beta) + s * T(b.beta - a.beta),
          distance);
  }
  HWY_INLINE void face(const Polygon<n, T>& e) {
    const Vec<T> p = e[1] - e[0], q = e[n - 1] - e[0], normal = cross(p, q);
    const T offset = dot(normal, e[0]), size = dot(normal, normal);
    for (int corner = 0; corner < 4; ++corner) {  // where a diagonal of space meets the plane
      const Vec<T> diagonal{T(corner & 1 ? -1.0 : 1.0), T(corner & 2 ? -1.0 : 1.0), T(1.0)};
      const Vec<T> w = offset / dot(normal, diagonal) * diagonal - e[0];
      const T alpha = dot(cross(w, q), normal) / size, beta = dot(cross(p, w), normal) / size;
      const Vec<T> x = e[0] + alpha * p + beta * q;
      offer(contains<n>(alpha, beta), alpha, beta, largest_of(x));
    }
  }

  Closest<T> best_;
};

// ---- both --------------------------------------------------------------------------------------

template <Norm norm, std::size_t n, class T>
HWY_INLINE Closest<T> closest_of(const Polygon<n, T>& e) {
  if constexpr (norm == Norm::l2)
    return EuclideanSearch<n, T>(e).best();
  else
    return MaxNormSearch<n, T>(e).best();
}

// Returns minus the direction, scaled to length 1; 0 if there is none.
template <class T>
HWY_INLINE Vec<T> normal_of(const Closest<T>& x) {
  const T zero(0.0), size = largest_of(x.direction);
  const auto sound =
      (x.distance > zero) & (size > zero) & (size < T(std::numeric_limits<double>::infinity()));
  const Vec<T> n{x.direction.x / size, x.direction.y / size, x.direction.z / size};
  const T length = square_root(dot(n, n));
  return select(sound, Vec<T>{-(n.x / length), -(n.y / length), -(n.z / length)},
                Vec<T>{zero, zero, zero});
}

// Returns the DifferencePolygon of closest_points.h from the corners of the primitives.
template <class Query, class T>
HWY_INLINE auto polygon_between(const std::array<Vec<T>, 4>& x) {
  if constexpr (std::is_same_v<Query, EdgeEdge>)
    return Polygon<4, T>{x[2] - x[0], x[3] - x[0], x[3] - x[1], x[2] - x[1]};
  else
    return Polygon<3, T>{x[1] - x[0], x[2] - x[0], x[3] - x[0]};
}
template <std::size_t n, class T>
HWY_INLINE T largest_of(const Polygon<n, T>& e) {
  Vec<T> m = abs_of(e[0]);
  for (std::size_t i = 1; i < n; ++i) m = larger(m, abs_of(e[i]));
  return larger(larger(m.x, m.y), m.z);
}
// Returns whether nothing in a search overflows and no square underflows at this magnitude.
template <class T>
HWY_INLINE typename T::Mask is_moderate(T largest) {
  return (largest > T(0x1p-100)) & (largest < T(0x1p100));
}

// u, v and normal of a contact as defined in closest_points.h, one per lane.
struct Located {
  alignas(64) double u[HWY_LANES(double)] = {}, v[HWY_LANES(double)] = {},
                     normal[3][HWY_LANES(double)] = {};

  HWY_INLINE void store(const Closest<Lanes<Many>>& x, const Vec<Lanes<Many>>& n, bool edges) {
    hn::Store(edges ? x.beta.v : x.alpha.v, Many(), u);
    hn::Store(edges ? x.alpha.v : x.beta.v, Many(), v);
    hn::Store(n.x.v, Many(), normal[0]);
    hn::Store(n.y.v, Many(), normal[1]);
    hn::Store(n.z.v, Many(), normal[2]);
  }
  HWY_INLINE void answer(std::size_t lane, Impact& impact) const {
    impact.u = u[lane];
    impact.v = v[lane];
    impact.normal = {normal[0][lane], normal[1][lane], normal[2][lane]};
  }
};

}  // namespace graze::narrow::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
