#include "graze/narrow/rivals/interval_multivariate.h"

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
using exact::MovingInterval;

// F = a + u b + v c on each axis, with a, b, c linear in t.
struct Motion {
  std::array<MovingInterval, 3> a, b, c;
  bool prism;  // u + v <= 1
};

Motion motion_of(const VertexFace& query) {
  const auto& [s, e] = query;
  Motion motion{{}, {}, {}, true};
  for (int k = 0; k < 3; ++k) {
    const auto i = static_cast<std::size_t>(k);
    motion.a[i] = {s[0][k], s[1][k], e[0][k], e[1][k]};
    motion.b[i] = {s[1][k], s[2][k], e[1][k], e[2][k]};
    motion.c[i] = {s[1][k], s[3][k], e[1][k], e[3][k]};
  }
  return motion;
}

Motion motion_of(const EdgeEdge& query) {
  const auto& [s, e] = query;
  Motion motion{{}, {}, {}, false};
  for (int k = 0; k < 3; ++k) {
    const auto i = static_cast<std::size_t>(k);
    motion.a[i] = {s[0][k], s[2][k], e[0][k], e[2][k]};
    motion.b[i] = {s[1][k], s[0][k], e[1][k], e[0][k]};
    motion.c[i] = {s[2][k], s[3][k], e[2][k], e[3][k]};
  }
  return motion;
}

enum { t, u, v };

// Returns about the largest change of F along each of t, u, v over the whole domain. It chooses the
// side to bisect; no proof depends on it.
std::array<double, 3> reach_of(const Motion& motion) {
  std::array<double, 3> reach{};
  for (std::size_t k = 0; k < 3; ++k) {
    const auto& [a, b, c, prism] = motion;
    const double along_t =
        a[k].way.magnitude() + std::max(b[k].way.magnitude(), c[k].way.magnitude());
    reach[t] = std::max(reach[t], along_t);
    reach[u] = std::max({reach[u], b[k].start.magnitude(), (b[k].start + b[k].way).magnitude()});
    reach[v] = std::max({reach[v], c[k].start.magnitude(), (c[k].start + c[k].way).magnitude()});
  }
  return reach;
}

using Box = std::array<Interval, 3>;

// Boxes that wait to be checked, the next one last. Below a box that is split further only the
// other halves of its ancestors wait, and none of its three sides is halved more than 52 times.
constexpr int halvings = 52;
class Stack {
 public:
  void clear() { count_ = 0; }
  bool empty() const { return count_ == 0; }
  void push(const Box& box) { boxes_[count_++] = box; }
  Box pop() { return boxes_[--count_]; }
  double earliest() const {
    double time = Impact::inf;
    for (std::size_t i = 0; i < count_; ++i) time = std::min(time, boxes_[i][t].lo);
    return time;
  }

 private:
  std::array<Box, 3 * halvings + 2> boxes_;
  std::size_t count_ = 0;
};

// The ranges of a, b and c in an interval of time, common to boxes that differ in u and v only.
struct Slice {
  Interval time{-1};
  std::array<Interval, 3> a, b, c;

  void set(const Motion& motion, const Interval& times) {
    if (time.lo == times.lo && time.hi == times.hi) return;
    time = times;
    for (std::size_t k = 0; k < 3; ++k) {
      a[k] = motion.a[k].at(times);
      b[k] = motion.b[k].at(times);
      c[k] = motion.c[k].at(times);
    }
  }
};

enum class Range { misses_zero, small, large };

Range range_of(const Slice& slice, const Box& box, double tol) {
  bool small = true;
  for (std::size_t k = 0; k < 3; ++k) {
    const Interval f = slice.a[k] + (times_nonnegative(slice.b[k], box[u]) +
                                     times_nonnegative(slice.c[k], box[v]));
    if (!f.may_be_zero()) return Range::misses_zero;
    small &= f.width() <= tol;
  }
  return small ? Range::small : Range::large;
}

// Returns the side whose halving shrinks F most; -1 if every side that would shrink F has reached
// its finest width. A side along which F is constant is not bisected.
int side_to_split(const Box& box, const std::array<double, 3>& reach, double t_max) {
  int side = -1;
  double most = 0;
  for (const int i : {t, u, v}) {
    const auto j = static_cast<std::size_t>(i);
    const double width = box[j].width(), finest = 0x1p-52 * (i == t ? t_max : 1);
    if (!(width > finest && width * reach[j] > most)) continue;
    most = width * reach[j];
    side = i;
  }
  return side;
}

// Searches depth first, the earlier and lower half first. A root that is found limits the time:
// only boxes that begin earlier are searched further.
//
// DEVIATION: Alg. 1 of [Wang 2021] compares the widths of parameters with the tolerance. Here the
// width of the interval of F is compared, a length like the tolerance, so that the answer does not
// depend on the lengths of the edges.
Impact search(const Motion& motion, const MethodOptions& options, Stack& stack) {
  const auto reach = reach_of(motion);
  if (!(std::max({reach[t], reach[u], reach[v]}) < Impact::inf))
    return Impact::undecided(0, options.t_max);
  Slice slice;
  stack.clear();
  stack.push({Interval(0, options.t_max), Interval(0, 1), Interval(0, 1)});
  Impact last = Impact::separated();
  std::uint32_t checks = 0;
  while (!stack.empty()) {
    const Box box = stack.pop();
    if (box[t].lo >= last.toi) continue;
    if (is_spent(checks, options)) {
      const double earliest = std::min({box[t].lo, stack.earliest(), last.toi});
      return Impact::undecided(earliest, options.t_max, checks);
    }
    count_check(checks);
    const bool at_start = options.no_zero_toi && box[t].lo == 0;
    slice.set(motion, box[t]);
    const Range range = range_of(slice, box, at_start ? 0 : options.distance_tol);
    if (range == Range::misses_zero) continue;
    const int side = range == Range::small ? -1 : side_to_split(box, reach, options.t_max);
    if (side < 0) {
      last = Impact::contact(box[t].lo, options.t_max);
      last.u = box[u].lo;
      last.v = box[v].lo;
      continue;
    }
    const auto j = static_cast<std::size_t>(side);
    Box lower = box, upper = box;
    lower[j].hi = upper[j].lo = box[j].lo + box[j].width() / 2;
    // The sum is exact: both are multiples of 2^-52.
    if (!(motion.prism && upper[u].lo + upper[v].lo > 1)) stack.push(upper);
    stack.push(lower);
  }
  last.checks = checks;
  return last;
}

template <class Query>
void solve(std::span<const Query> queries, const MethodOptions& options,
           std::span<Impact> impacts) {
  Stack stack;
  solve_each(queries, options, Norm::none, impacts,
             [&](const Query& query) { return search(motion_of(query), options, stack); });
}

}  // namespace

void interval_multivariate(std::span<const VertexFace> queries, const MethodOptions& options,
                           std::span<Impact> impacts) {
  solve(queries, options, impacts);
}
void interval_multivariate(std::span<const EdgeEdge> queries, const MethodOptions& options,
                           std::span<Impact> impacts) {
  solve(queries, options, impacts);
}

}  // namespace graze::narrow
