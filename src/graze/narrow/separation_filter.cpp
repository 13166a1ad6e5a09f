#include "graze/narrow/separation_filter.h"

#include "graze/narrow/separation_curves.h"

namespace graze {
namespace {

using namespace separation;

// ---- directions --------------------------------------------------------------------------------

// `closest` finds a direction and the distance it proves; `point` a closest point; `rate` how fast
// that distance changes, roughly.
struct Euclidean {
  static ClosestPoint closest(const DifferencePolygon& at) { return closest_to_zero(at); }
  static ClosestPoint point(const DifferencePolygon&, const ClosestPoint& x) { return x; }
  static double size(const Vec3& x) { return x.norm(); }
  static double dual_norm(const Vec3& n) { return n.norm(); }
  static double rate(const MovingPolygon& polygon, double, const ClosestPoint& x) {
    const std::size_t last = polygon.size - 1;
    const auto change = [&](std::size_t k) { return Vec3(polygon.end[k] - polygon.start[k]); };
    const Vec3 c = change(0), p = change(last > 0 ? 1 : 0) - c, q = change(last) - c;
    return x.direction.dot(c + x.alpha * p + x.beta * q) / x.direction.norm();
  }
  template <class EndsWithin>
  static Proven examine(const MovingPolygon& polygon, double d, double lo, double hi,
                        EndsWithin&& ends_within) {
    return examine_l2(polygon, d, lo, hi, ends_within());
  }
};
struct MaxNorm {
  static ClosestPoint closest(const DifferencePolygon& at) { return best_direction_linf(at); }
  static ClosestPoint point(const DifferencePolygon& at, const ClosestPoint&) {
    return closest_to_zero_linf(at);
  }
  static double size(const Vec3& x) { return largest_of(x); }
  static double dual_norm(const Vec3& n) { return sum_of(n); }
  static double rate(const MovingPolygon& polygon, double t, const ClosestPoint& x) {
    // Short against the time in which the distance may change its course, long against rounding.
    const double h = std::clamp(0x1p-6 * x.distance / polygon.largest, 0x1p-40, 0x1p-24);
    return (closest(polygon.at(t + h)).distance - x.distance) / h;
  }
  template <class EndsWithin>
  static Proven examine(const MovingPolygon& polygon, double d, double lo, double hi,
                        EndsWithin&&) {
    return examine_linf(polygon, d, lo, hi);
  }
};

template <class Norm>
class Prover {
 public:
  Prover(const MovingPolygon& polygon, double d, double t_max)
      : polygon_(polygon), d_(d), t_max_(t_max) {}

  Proven prove() {
    const double size = polygon_.largest;
    if (!(size > 0x1p-60 && size < 0x1p60 && d_ > 0x1p-200 && d_ < 0x1p60)) return {};
    DifferencePolygon at = polygon_.at(0), end = polygon_.at(t_max_);
    for (std::size_t i = 0; i < at.size; ++i)
      if (is_within({0, 0, at.corners[i], {}, Norm::size(at.corners[i])}))
        return {Proven::Result::start};
    ClosestPoint closest = Norm::closest(at);
    if (closest.distance <= d_ && is_within(Norm::point(at, closest)))
      return {Proven::Result::start};
    if (!(room(closest.direction, at) > 0)) return {};
    double t = 0;
    for (int i = 0; i < max_steps; ++i) {
      // As far as this direction leads.
      const double next = reach(closest.direction, at, end, t);
      if (next >= t_max_) return {Proven::Result::separated};
      const double progress = next - t;
      t = next;
      at = polygon_.at(t);
      closest = Norm::closest(at);
      if (!(room(closest.direction, at) > 0)) break;
      // Where Newton's method expects the distance d, a little further.
      if (const auto hit = expected(t, closest)) {
        // Not so far that the distance, or what stands for its square, passes its least value.
        const double margin = std::min(0.0625 * (hit->t - t), 0.5 * d_ / -hit->rate);
        const double hi = std::min(t_max_, hit->t + margin + 0x1p-50);
        const auto ends_within = [&] { return is_within(Norm::closest(polygon_.at(hi))); };
        const Proven proven = Norm::examine(polygon_, d_, t, hi, ends_within);
        if (proven.result == Proven::Result::root) return proven;
        if (proven.result == Proven::Result::separated && hi == t_max_) return proven;
      } else if (progress < 0.125 * (t_max_ - t)) {
        const Proven proven = Norm::examine(polygon_, d_, t, t_max_, [] { return false; });
        if (proven.result != Proven::Result::nothing) return proven;
      }
      if (!(progress > 0x1p-40)) break;
    }
    return {};
  }

 private:
  static constexpr int max_steps = 24;

  // The point of the polygon is given by coordinates in it, up to u beyond its border. Each of its
  // coordinates is off by E, two differences of corners (2.4 E each) and ten roundings of at most
  // 4 M: below 10 E = 50 u M; 90 u M in any norm. The norm is off by 4 u of itself.
  bool is_within(const ClosestPoint& x) const {
    return x.distance * (1 + 8 * u) + 90 * u * polygon_.largest <= d_;
  }

  // How far n.e exceeds what a distance of d requires, at the corner where it does least; positive
  // only if it certainly does. A product n.e is off by |n|_1 E and 3 u |n|_1 M of rounding, 8 u M
  // |n|_1 in all, and the dual norm by 3 u of itself. (|n| > 2^-400, so underflow is nothing.)
  double threshold(const Vec3& n) const {
    return (d_ * Norm::dual_norm(n) + 9 * u * polygon_.largest * sum_of(n)) * (1 + 16 * u);
  }
  double room(const Vec3& n, const DifferencePolygon& at) const {
    if (!(largest_of(n) > 0x1p-400)) return 0;
    double least = n.dot(at.corners[0]);
    for (std::size_t i = 1; i < at.size; ++i) least = std::min(least, n.dot(at.corners[i]));
    return least - threshold(n);
  }

  // A time until which n certainly separates, if it does so at t: n.e is linear in time, so both
  // ends of a piece prove it.
  double reach(const Vec3& n, const DifferencePolygon& at, const DifferencePolygon& end,
               double t) const {
    const double needed = threshold(n);
    double part = 2;
    for (std::size_t i = 0; i < at.size; ++i) {
      const double from = n.dot(at.corners[i]) - needed, to = n.dot(end.corners[i]) - needed;
      if (!(to > 0)) part = std::min(part, from / (from - to));
    }
    if (part == 2) return t_max_;
    for (const double safety : {1 - 0x1p-20, 0.5}) {
      const double next = t + (t_max_ - t) * part * safety;
      if (next <= t) break;
      if (next < t_max_ && room(n, polygon_.at(next)) > 0) return next;
    }
    return t;
  }

  // When the distance will be d and how fast it shrinks then, by Newton's method; only a guess.
  struct Guess {
    double t, rate;
  };
  std::optional<Guess> expected(double t, ClosestPoint x) const {
    for (int i = 0; i < 10; ++i) {
      const double rate = Norm::rate(polygon_, t, x);
      const double next = std::min(t + (d_ - x.distance) / rate, t_max_);
      if (!(next > 0) || !(rate < 0)) return std::nullopt;
      if (std::abs(next - t) * -rate <= 0x1p-10 * d_)
        return next < t_max_ ? std::optional(Guess{next, rate}) : std::nullopt;
      t = next;
      x = Norm::closest(polygon_.at(t));
    }
    return std::nullopt;
  }

  const MovingPolygon& polygon_;
  double d_, t_max_;
};

// Along x, y, z the sign of fl(x - y) - d is exact, rounding being monotone. Along x+-y and the
// like a corner is off by 2 u M for its coordinates and 2 u M for the sum, and d, times the norm of
// (1, 1, 0) that is dual to the norm of the distance, by 3 u: 8 u M leaves room.
template <int axes>
bool separates(const MovingPolygon& polygon, double needed) {
  for (int k = 0; k < 3; ++k)
    for (int sign = axes == 1 ? 1 : -1; sign <= 1; sign += 2) {
      double lo = std::numeric_limits<double>::infinity(), hi = -lo;
      for (std::size_t i = 0; i < polygon.size; ++i)
        for (const auto* e : {&polygon.start[i], &polygon.end[i]}) {
          const double x = axes == 1 ? (*e)[k] : (*e)[k] + sign * (*e)[(k + 1) % 3];
          lo = std::min(lo, x);
          hi = std::max(hi, x);
        }
      if (lo > needed || hi < -needed) return true;
    }
  return false;
}

template <class Query>
MovingPolygon polygon_of(const Query& query, std::size_t size, const std::size_t (&pairs)[4][2]) {
  MovingPolygon polygon;
  polygon.size = size;
  for (std::size_t i = 0; i < size; ++i) {
    const auto [a, b] = pairs[i];
    polygon.first[i] = {&query.start[a], &query.end[a]};
    polygon.second[i] = {&query.start[b], &query.end[b]};
    polygon.start[i] = query.start[b] - query.start[a];
    polygon.end[i] = query.end[b] - query.end[a];
    polygon.largest =
        std::max({polygon.largest, largest_of(polygon.start[i]), largest_of(polygon.end[i])});
  }
  return polygon;
}

}  // namespace

bool axis_separates(const MovingPolygon& polygon, double d) {
  return separates<1>(polygon, d);
}
bool diagonal_separates_l2(const MovingPolygon& polygon, double d) {
  return separates<2>(polygon, d * (1.4142135623730951 * (1 + 8 * u)) + 8 * u * polygon.largest);
}
bool diagonal_separates_linf(const MovingPolygon& polygon, double d) {
  return separates<2>(polygon, d * (2 + 8 * u) + 8 * u * polygon.largest);
}

DifferencePolygon MovingPolygon::at(double t) const {
  DifferencePolygon polygon;
  polygon.size = size;
  for (std::size_t i = 0; i < size; ++i) polygon.corners[i] = (1 - t) * start[i] + t * end[i];
  return polygon;
}

// Consecutive corners share one of the two points whose difference they are.
bool MovingPolygon::is_zero(std::size_t i, int k) const {
  const std::size_t j = next(i);
  const auto& points = first[i] == first[j] ? second : first;
  return (*points[i][0])[k] == (*points[j][0])[k] && (*points[i][1])[k] == (*points[j][1])[k];
}
bool MovingPolygon::is_point(std::size_t i) const {
  return is_zero(i, 0) && is_zero(i, 1) && is_zero(i, 2);
}
bool MovingPolygon::is_flat() const {
  return is_point(0) || is_point(1) || is_point(2);
}

MovingPolygon moving_polygon(const VertexFace& query) {
  return polygon_of(query, 3, {{0, 1}, {0, 2}, {0, 3}});
}
MovingPolygon moving_polygon(const EdgeEdge& query) {
  return polygon_of(query, 4, {{0, 2}, {0, 3}, {1, 3}, {1, 2}});
}
MovingPolygon moving_polygon(const PointEdge& query) {
  return polygon_of(query, 2, {{0, 1}, {0, 2}});
}
MovingPolygon moving_polygon(const PointPoint& query) {
  return polygon_of(query, 1, {{0, 1}});
}

Proven prove_l2(const MovingPolygon& polygon, double d, double t_max) {
  return Prover<Euclidean>(polygon, d, t_max).prove();
}
Proven prove_linf(const MovingPolygon& polygon, double d, double t_max) {
  return Prover<MaxNorm>(polygon, d, t_max).prove();
}

}  // namespace graze
