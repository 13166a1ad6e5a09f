#include "graze/narrow/separation/separation_filter.h"

#include <limits>

#include "graze/narrow/separation/separation_bounds.h"

namespace graze::narrow {
namespace {

using namespace separation;

double dot(const Vec3& a, const Vec3& b) {
  return a.dot(b);
}
double smaller(double a, double b) {
  return std::min(a, b);
}
#define GRAZE_LANE_INLINE inline
#include "graze/narrow/separation/separating_direction-inl.h"
#undef GRAZE_LANE_INLINE

// ---- the two norms -----------------------------------------------------------------------------

// A Space of separating_direction-inl.h for one query; the norms below add `direction` and
// `Closest`.
struct OneQuery {
  using Scalar = double;
  using Mask = bool;
  using Vector = Vec3;
  using Polygon = DifferencePolygon;
  static const auto& corners(const Polygon& polygon) { return polygon.corners; }
  static std::size_t size(const Polygon& polygon) { return polygon.size; }
};

// The closest point of a polygon, computed quickly. No proof relies on it; a poor one costs time.
struct Nearest {
  double alpha, beta;  // as in ClosestPoint
  double distance;
  Vec3 direction;  // to that point; where it has one, orthogonal to its edge or face
};

// Returns the direction without its component along the edge. Rounding leaves such a component,
// whose relative size grows as the edge comes closer.
Vec3 without(const Vec3& along, double length_sq, const Vec3& direction) {
  return direction - along * (direction.dot(along) / length_sq);
}
double clamped(double x) {  // NaN becomes 0; two instructions
  const double y = x > 0 ? x : 0;
  return y < 1 ? y : 1;
}
Vec3 towards(const Vec3& normal, const Vec3& point) {
  return normal.dot(point) < 0 ? Vec3(-normal) : normal;
}

Nearest nearest_of_all(const DifferencePolygon& at) {
  const ClosestPoint x = closest_to_zero(at, Norm::l2);
  const double length_sq = x.along.squaredNorm();
  return {x.alpha, x.beta, x.distance,
          length_sq > 0 ? without(x.along, length_sq, x.direction) : x.direction};
}

// Two sides at the first corner: c + alpha e + beta f.
struct Sides {
  const Vec3& c;
  Vec3 e, f;
  double ee, ef, ff, ce, cf;

  explicit Sides(const DifferencePolygon& at)
      : c(at.corners[0]), e(at.corners[1] - c), f(at.corners[at.size - 1] - c) {
    ee = e.squaredNorm();
    ef = e.dot(f);
    ff = f.squaredNorm();
    ce = c.dot(e);
    cf = c.dot(f);
  }
  double det() const { return ee * ff - ef * ef; }
};

// Returns the point of a parallelogram that is closest to the origin. For a given place along one
// side, the best place along the other side can be computed directly, so three steps find the
// closest point.
[[gnu::always_inline]] inline Nearest nearest_of_parallelogram(const DifferencePolygon& at) {
  const Sides s(at);
  const double per_ee = 1 / s.ee, per_ff = 1 / s.ff;
  const double first = clamped((s.ef * s.cf - s.ff * s.ce) / s.det());
  const double beta = clamped(-(s.cf + first * s.ef) * per_ff);
  const double alpha = clamped(-(s.ce + beta * s.ef) * per_ee);
  const Vec3 x = s.c + alpha * s.e + beta * s.f;
  const bool along_e = alpha > 0 && alpha<1, along_f = beta> 0 && beta < 1;
  const double distance = x.norm();
  if (along_e && along_f) return {alpha, beta, distance, towards(s.e.cross(s.f), s.c)};
  if (along_e) return {alpha, beta, distance, without(s.e, s.ee, x)};
  if (along_f) return {alpha, beta, distance, without(s.f, s.ff, x)};
  return {alpha, beta, distance, x};
}

// Returns the point of a triangle that is closest to 0: the foot of 0 if inside, else on an edge.
[[gnu::always_inline]] inline Nearest nearest_of_triangle(const DifferencePolygon& at) {
  const Sides s(at);
  const double r = s.ef * s.cf - s.ff * s.ce, q = s.ef * s.ce - s.ee * s.cf, det = s.det();
  if (r > 0 && q > 0 && r + q < det) {
    const double alpha = r / det, beta = q / det;
    const Vec3 x = s.c + alpha * s.e + beta * s.f;
    return {alpha, beta, x.norm(), towards(s.e.cross(s.f), s.c)};
  }
  const Vec3 &a = at.corners[1], g = at.corners[2] - a;
  const double gg = g.squaredNorm();
  const double on_e = clamped(-s.ce / s.ee), on_f = clamped(-s.cf / s.ff),
               on_g = clamped(-a.dot(g) / gg);
  const Vec3 x = s.c + on_e * s.e, y = s.c + on_f * s.f, z = a + on_g * g;
  const double xx = x.squaredNorm(), yy = y.squaredNorm(), zz = z.squaredNorm();
  const auto on_edge = [](double alpha, double beta, double place, const Vec3& along,
                          double length_sq, const Vec3& point, double sq) -> Nearest {
    const bool inside = place > 0 && place < 1;
    return {alpha, beta, std::sqrt(sq), inside ? without(along, length_sq, point) : point};
  };
  if (xx <= yy && xx <= zz) return on_edge(on_e, 0, on_e, s.e, s.ee, x, xx);
  if (yy <= zz) return on_edge(0, on_f, on_f, s.f, s.ff, y, yy);
  return on_edge(1 - on_g, on_g, on_g, g, gg, z, zz);
}

// `direction` proves the distance of `Closest`, up to rounding, and has length 1 in the dual norm;
// 0 if there is none. `closest_of_all` is slower and used where `closest` fails to find a good
// direction. `rate` estimates the rate of change of the distance.
struct Euclidean : OneQuery {
  using Closest = Nearest;
  static Closest closest(const DifferencePolygon& at) {
    return at.size == 4   ? nearest_of_parallelogram(at)
           : at.size == 3 ? nearest_of_triangle(at)
                          : nearest_of_all(at);
  }
  static Closest closest_of_all(const DifferencePolygon& at) { return nearest_of_all(at); }
  static constexpr bool quick_may_fail = true;
  static double length(const Vec3& x) { return x.norm(); }
  static Vec3 direction(const DifferencePolygon&, const Closest& x) {
    const double sq = x.direction.squaredNorm();
    return sq > 0x1p-900 ? Vec3(x.direction * (1 / std::sqrt(sq))) : Vec3(Vec3::Zero());
  }
  static double rate(const MovingPolygon& polygon, const DifferencePolygon&, const Closest& x,
                     const Vec3& n) {
    const std::size_t last = polygon.size - 1;
    const auto change = [&](std::size_t k) { return Vec3(polygon.end[k] - polygon.start[k]); };
    const Vec3 c = change(0), p = change(last > 0 ? 1 : 0) - c, q = change(last) - c;
    return n.dot(c + x.alpha * p + x.beta * q);
  }
  static bool is_within(const MovingPolygon& polygon, const Closest& x, double d, double) {
    return distance_bound(x.distance, polygon.largest) <= d;
  }
  static Proven root(const MovingPolygon& polygon, double d, const Bracket& bracket) {
    return root_l2(polygon, d, bracket);
  }
};
struct MaxNorm : OneQuery {
  using Closest = BestDirection;
  static Closest closest(const DifferencePolygon& at) { return best_direction(at); }
  static Closest closest_of_all(const DifferencePolygon& at) { return best_direction(at); }
  static constexpr bool quick_may_fail = false;
  static double length(const Vec3& x) { return largest_of(x); }
  static Vec3 direction(const DifferencePolygon& at, const Closest& x) {
    const Vec3 n = x.at(at);
    const double size = n.lpNorm<1>();
    return size > 0x1p-400 ? Vec3(x.side / size * n) : Vec3(Vec3::Zero());
  }
  static double rate(const MovingPolygon& polygon, const DifferencePolygon& at, const Closest& x,
                     const Vec3& n) {
    const auto change = [&](std::size_t k) { return Vec3(polygon.end[k] - polygon.start[k]); };
    const auto& e = at.corners;
    const double moved = n.dot(change(x.corner));
    if (x.kind == Direction::Kind::axis) return moved;
    Vec3 turned;
    if (x.kind == Direction::Kind::edge) {
      turned = Vec3::Unit(x.axis).cross(change(polygon.next(x.edge)) - change(x.edge));
    } else {
      const std::size_t last = polygon.size - 1;
      turned = (change(1) - change(0)).cross(e[last] - e[0]) +
               (e[1] - e[0]).cross(change(last) - change(0));
    }
    turned *= x.side / x.at(at).lpNorm<1>();
    double growth = 0;  // of |n|_1
    for (int k = 0; k < 3; ++k) growth += n[k] < 0 ? -turned[k] : turned[k];
    return moved + turned.dot(e[x.corner]) - growth * x.distance;
  }
  static bool is_within(const MovingPolygon& polygon, const Closest& x, double d, double t) {
    return x.distance < d && is_within_linf(polygon, d, t);
  }
  static Proven root(const MovingPolygon& polygon, double d, const Bracket& bracket) {
    return root_linf(polygon, d, bracket);
  }
};

// ---- directions --------------------------------------------------------------------------------

// Searches for the first time at which the distance is at most d.
template <class Norm>
class Prover {
 public:
  Prover(const MovingPolygon& polygon, double d, double t_max)
      : polygon_(polygon), d_(d), t_max_(t_max), directions_(polygon.largest, d) {}

  Proven prove(double free) {
    if (!directions_.has_proofs()) return {};
    Moment from = moment(free);
    if (free > 0 && !from.apart) from = moment(0);
    if (!from.apart) {
      bool within = is_within(from);
      for (std::size_t i = 0; i < polygon_.size && !within; ++i)
        within = distance_bound(Norm::length(polygon_.start[i]), polygon_.largest) <= d_;
      return within ? Proven{Proven::Result::start} : Proven{};
    }
    const DifferencePolygon end = polygon_.at(t_max_);
    if (reach(from, end) == 1) return {Proven::Result::separated};
    std::optional<Moment> last;
    for (int i = 0; i < max_steps; ++i) {
      const double before = from.t;
      if (const auto guess = expected(from))
        if (const Proven proven = prove_root(from, *guess); proven.result == Proven::Result::root)
          return proven;
      if (!last) last = moment(t_max_);
      if (last->apart && advance(from, *last, max_halvings)) return {Proven::Result::separated};
      follow(from, end);
      if (!(from.t - before > 0x1p-40)) break;
    }
    return {};
  }

 private:
  static constexpr int max_steps = 24, max_halvings = 7;

  struct Moment : DirectionProver<Norm>::Moment {
    double t;
  };
  Moment moment(double t) const {
    Moment result = quick_moment(t);
    if (Norm::quick_may_fail && !result.apart && result.closest.distance > d_)
      directions_.settle(result, Norm::closest_of_all(result.at));
    return result;
  }
  // Returns a moment from a cheaper test, which may fail to prove that the primitives are apart.
  Moment quick_moment(double t) const {
    Moment result{{polygon_.at(t), {}, {}, false}, t};
    directions_.settle(result, Norm::closest(result.at));
    return result;
  }

  bool is_within(const Moment& at) const { return Norm::is_within(polygon_, at.closest, d_, at.t); }

  struct Guess {
    double t, rate;
  };
  // Proves the root near a guess, in a bracket as narrow as rounding and Newton's method allow; if
  // that fails, in wider brackets. Moves `from` as far as the time before the root is proven free.
  Proven prove_root(Moment& from, const Guess& guess) const {
    const double narrow = (192 * u * polygon_.largest + 0x1p-34 * d_) / -guess.rate;
    for (double width = narrow; width < 0x1p-12; width *= 0x1p8) {
      const double lo = std::max(from.t, guess.t - width), hi = std::min(t_max_, guess.t + width);
      const Moment before = moment(lo);
      if (before.apart && is_within(moment(hi))) {
        if (!advance(from, before, max_halvings)) break;
        const Proven proven = Norm::root(polygon_, d_, {lo, hi, guess.t});
        if (proven.result == Proven::Result::root) return proven;
      }
      if (hi == t_max_) break;
    }
    return {};
  }

  // Moves `from` as far as its direction separates.
  void follow(Moment& from, const DifferencePolygon& end) const {
    const double next = from.t + (t_max_ - from.t) * (reach(from, end) * (1 - 0x1p-20));
    if (!(next > from.t && next < t_max_)) return;
    if (const Moment moved = moment(next); moved.apart && directions_.is_apart(from.n, moved.at))
      from = moved;
  }

  // Returns an estimate of the fraction of the way from a moment to the end on which the direction
  // of the moment separates; 1 if it provably separates to the end.
  double reach(const Moment& from, const DifferencePolygon& end) const {
    double part = 1;
    for (std::size_t i = 0; i < end.size; ++i) {
      const double here = from.n.dot(from.at.corners[i]) - directions_.threshold();
      const double there = from.n.dot(end.corners[i]) - directions_.threshold();
      if (!(there > 0)) part = std::min(part, here / (here - there));
    }
    return part;
  }

  // Proves, piece by piece in order, that the distance exceeds d between two moments that are
  // apart. If this fails, `from` becomes the latest moment up to which it is proven. Returns
  // success.
  bool advance(Moment& from, const Moment& to, int halvings) const {
    if (directions_.is_bridged(from, to)) return true;
    if (halvings == 0) return false;
    const Moment middle = moment(0.5 * (from.t + to.t));
    if (!middle.apart || !advance(from, middle, halvings - 1)) return false;
    from = middle;
    return advance(from, to, halvings - 1);
  }

  // Returns an estimate, by Newton's method, of the time at which the distance will be d and of its
  // rate there. Advances `from` to the last moment up to which the primitives are proven apart.
  std::optional<Guess> expected(Moment& from) const {
    const double small = 0x1p-18 * d_ + 16 * u * polygon_.largest;
    Moment now = from;
    for (int i = 0; i < 12; ++i) {
      const double side = now.n.dot(from.n) < 0 ? -1 : 1;
      const double rate = side * Norm::rate(polygon_, now.at, now.closest, now.n);
      const double next = std::min(now.t + (d_ - side * now.closest.distance) / rate, t_max_);
      if (!(next > from.t) || !(rate < 0)) return std::nullopt;
      if (std::abs(next - now.t) * -rate <= small)
        return next < t_max_ ? std::optional(Guess{next, rate}) : std::nullopt;
      now = quick_moment(next);
      if (now.apart && now.t > from.t && directions_.is_bridged(from, now)) from = now;
    }
    return std::nullopt;
  }

  const MovingPolygon& polygon_;
  double d_, t_max_;
  DirectionProver<Norm> directions_;
};

// Along x, y, z the sign of fl(x - y) - d is exact, rounding being monotone. Along x+-y and the
// like a corner is off by 2 u M for its coordinates and 2 u M for the sum, and the value by a few
// u: 8 u M leaves room.
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

bool axis_separates(const MovingPolygon& polygon, double beyond) {
  return separates<1>(polygon, beyond);
}
bool diagonal_separates(const MovingPolygon& polygon, double beyond) {
  return separates<2>(polygon, beyond * (1 + 8 * u) + 8 * u * polygon.largest);
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
MovingPolygon moving_polygon(const VertexEdge& query) {
  return polygon_of(query, 2, {{0, 1}, {0, 2}});
}
MovingPolygon moving_polygon(const VertexVertex& query) {
  return polygon_of(query, 1, {{0, 1}});
}

Proven prove_l2(const MovingPolygon& polygon, double d, double free, double t_max) {
  return Prover<Euclidean>(polygon, d, t_max).prove(free);
}
Proven prove_linf(const MovingPolygon& polygon, double d, double free, double t_max) {
  return Prover<MaxNorm>(polygon, d, t_max).prove(free);
}

}  // namespace graze::narrow
