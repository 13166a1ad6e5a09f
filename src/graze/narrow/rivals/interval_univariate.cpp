#include "graze/narrow/rivals/interval_univariate.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "graze/exact/interval.h"
#include "graze/narrow/batch.h"
#include "graze/narrow/check_count.h"
#include "graze/narrow/stop.h"

namespace graze::narrow {
namespace {

using exact::Interval;
using exact::IntervalVector;
using exact::MovingInterval;

// The difference of two corners.
struct MovingVector {
  std::array<MovingInterval, 3> axes;

  IntervalVector at(const Interval& t) const {
    return {axes[0].at(t), axes[1].at(t), axes[2].at(t)};
  }
  double speed() const {
    return std::max({axes[0].way.magnitude(), axes[1].way.magnitude(), axes[2].way.magnitude()});
  }
};

// The motion of a query in other units, in which its sizes are near 1.
template <class Query>
struct Scaled {
  const Query& query;
  double scale;  // a power of two

  MovingVector difference(std::size_t to, std::size_t from) const {
    const auto scaled = [&](double x) {
      return scale == 1 ? Interval(x) : Interval(x) * Interval(scale);
    };
    MovingVector vector;
    for (int k = 0; k < 3; ++k)
      vector.axes[static_cast<std::size_t>(k)] = {
          scaled(query.start[to][k]), scaled(query.start[from][k]), scaled(query.end[to][k]),
          scaled(query.end[from][k])};
    return vector;
  }
};

// Returns whether all differences lie on one side of zero on some axis.
template <std::size_t n>
bool boxes_apart(const std::array<IntervalVector, n>& differences) {
  for (std::size_t k = 0; k < 3; ++k) {
    bool above = true, below = true;
    for (const IntervalVector& d : differences) {
      above &= d[k].lo > 0;
      below &= d[k].hi < 0;
    }
    if (above || below) return true;
  }
  return false;
}

// Each kind of motion bounds the relative speed of the primitives and excludes contacts in an
// interval of time.
//
// Let N be `normal` below and C_i the cross products that add up to it: C_1 + C_2 + C_3 = N for a
// face, C_1 + C_2 = C_3 + C_4 = N for two edges. At a contact C_i = r_i N with r_i >= 0 if N is not
// zero, and N . C_i = 0 if it is. So N . C_i < 0 for some i excludes a contact.
class VertexFaceMotion {
 public:
  explicit VertexFaceMotion(const Scaled<VertexFace>& motion)
      : a_(motion.difference(1, 0)),
        b_(motion.difference(2, 0)),
        c_(motion.difference(3, 0)),
        e_(motion.difference(2, 1)),
        f_(motion.difference(3, 1)) {}

  double speed() const { return std::max({a_.speed(), b_.speed(), c_.speed()}); }

  bool may_touch(const Interval& t) const {
    const auto a = a_.at(t), b = b_.at(t), c = c_.at(t);
    if (boxes_apart<3>({a, b, c})) return false;
    const auto normal = cross(e_.at(t), f_.at(t));
    if (!dot(a, normal).may_be_zero()) return false;
    return !(dot(cross(a, b), normal).hi < 0 || dot(cross(b, c), normal).hi < 0 ||
             dot(cross(c, a), normal).hi < 0);
  }

 private:
  MovingVector a_, b_, c_, e_, f_;
};

class EdgeEdgeMotion {
 public:
  explicit EdgeEdgeMotion(const Scaled<EdgeEdge>& motion)
      : a_(motion.difference(1, 0)),
        b_(motion.difference(3, 2)),
        w_(motion.difference(2, 0)),
        x_(motion.difference(1, 2)),
        y_(motion.difference(3, 0)),
        z_(motion.difference(1, 3)) {}

  double speed() const { return std::max({w_.speed(), x_.speed(), y_.speed(), z_.speed()}); }

  bool may_touch(const Interval& t) const {
    const auto w = w_.at(t), x = x_.at(t), y = y_.at(t), z = z_.at(t);
    if (boxes_apart<4>({w, y, negative(x), negative(z)})) return false;
    const auto a = a_.at(t), b = b_.at(t), normal = cross(a, b);
    if (!dot(w, normal).may_be_zero()) return false;
    return !(dot(cross(w, b), normal).hi < 0 || dot(cross(x, b), normal).hi < 0 ||
             dot(cross(w, a), normal).hi < 0 || dot(cross(a, y), normal).hi < 0);
  }

 private:
  static IntervalVector negative(const IntervalVector& d) { return {-d[0], -d[1], -d[2]}; }

  MovingVector a_, b_, w_, x_, y_, z_;
};

// Searches the earliest interval first, so that the first one accepted is the answer.
//
// DEVIATION: [Wang 2021] finds small intervals around roots of the determinant first and then tests
// the predicate. Here the predicate and the boxes of the primitives are tested on every interval.
// The bounds on a part of an interval lie inside those on the interval, so a test that excludes an
// interval excludes its parts: the answers are the same, but a motion in one plane is not searched
// instant by instant.
template <class Motion>
Impact search(const Motion& motion, double distance_tol, const MethodOptions& options) {
  constexpr int halvings = 52;
  const double speed = motion.speed(), finest = std::ldexp(options.t_max, -halvings);
  std::array<Interval, halvings + 2> waiting;  // the other halves of an interval's ancestors
  std::size_t count = 0;
  waiting[count++] = Interval(0, options.t_max);
  std::uint32_t checks = 0;
  while (count > 0) {
    const Interval times = waiting[--count];
    if (is_spent(checks, options)) return Impact::undecided(times.lo, options.t_max, checks);
    count_check(checks);
    if (!motion.may_touch(times)) continue;
    const bool at_start = options.no_zero_toi && times.lo == 0;
    const double middle = times.lo + times.width() / 2;
    if ((!at_start && times.width() * speed <= distance_tol) || !(times.width() > finest) ||
        !(middle > times.lo && middle < times.hi))
      return Impact::contact(times.lo, options.t_max, checks);
    waiting[count++] = {middle, times.hi};
    waiting[count++] = {times.lo, middle};
  }
  return Impact::separated(checks);
}

// Lengths between these keep their sixth powers from overflow and the squares of their last places
// from underflow.
constexpr double smallest = 0x1p-100, largest = 0x1p100;

template <class Motion, class Query>
Impact answer(const Query& query, const MethodOptions& options) {
  double size = 0;
  for (const auto* corners : {&query.start, &query.end})
    for (const Vec3& corner : *corners) size = std::max(size, corner.cwiseAbs().maxCoeff());
  const bool moderate = size >= smallest && size <= largest;
  const double scale =
      moderate || size == 0 ? 1 : std::ldexp(1.0, std::clamp(-std::ilogb(size), -1000, 1000));
  return search(Motion(Scaled<Query>{query, scale}), options.distance_tol * scale, options);
}

template <class Motion, class Query>
void solve(std::span<const Query> queries, const MethodOptions& options,
           std::span<Impact> impacts) {
  solve_each(queries, options, Norm::none, impacts,
             [&](const Query& query) { return answer<Motion>(query, options); });
}

}  // namespace

void interval_univariate(std::span<const VertexFace> queries, const MethodOptions& options,
                         std::span<Impact> impacts) {
  solve<VertexFaceMotion>(queries, options, impacts);
}
void interval_univariate(std::span<const EdgeEdge> queries, const MethodOptions& options,
                         std::span<Impact> impacts) {
  solve<EdgeEdgeMotion>(queries, options, impacts);
}

}  // namespace graze::narrow
