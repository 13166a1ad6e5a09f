#include "graze/rigid/shapes/shape_advance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

#include "graze/core/numeric/strict_arithmetic.h"
#include "graze/rigid/motion/motion_bound.h"
#include "graze/rigid/shapes/closest_parts.h"
#include "graze/rigid/shapes/mesh_parts.h"

namespace graze::rigid {
namespace {

// Closest points are found up to this share of the size of both bodies if one of them is curved.
constexpr double curved_share = 0x1p-26;

// The parts of a body and its motion.
struct MovingParts {
  const Parts& parts;
  const Motion& motion;
  MotionBound bound;

  MovingParts(const Parts& p, const Motion& path)
      : parts(p), motion(path), bound(path, 2 * p.reach()) {}

  // The rounding of positions. 1.5 instead of the 1.25 of meshes covers the errors of
  // Parts::extreme(), 16u reach, and of convex combinations, 18u times the size of coordinates:
  // placement_error() is at least 128u times that size, with 2 reach for the body.
  double error() const { return 1.5 * bound.error; }
  double axis_distance(const Part& part) const {
    return bound.rotates() ? bound.axis_distance(part.centre, 0) : 0;
  }
  // Returns the least n.p over the points p of the placed part.
  double lowest(std::uint32_t i, const Part& part, const Placement& at, const Vec3& n) const {
    return n.dot(PlacedPart{parts, i, 0, at}.extreme(-n)) - part.margin;
  }
};

// A pair of parts that is proven apart on [0, t), as an item of a heap in the order of time.
struct TimedPair {
  double t;
  std::uint32_t a, b;
  std::uint32_t steps;  // time steps so far, of two leaves
  Vec3 n;               // a direction that separated the parts or their parents; or 0

  // Orders a heap with the earliest pair on top.
  bool operator<(const TimedPair& other) const {
    return std::tie(t, a, b) > std::tie(other.t, other.a, other.b);
  }
};

class TimedHeap {
 public:
  explicit TimedHeap(double t_max) : t_max_(t_max) {}
  bool empty() const { return pairs_.empty(); }
  // Adds a pair, unless it is proven apart up to t_max.
  void push(const TimedPair& pair) {
    if (pair.t >= t_max_) return;
    pairs_.push_back(pair);
    std::push_heap(pairs_.begin(), pairs_.end());
  }
  TimedPair pop() {
    std::pop_heap(pairs_.begin(), pairs_.end());
    const TimedPair pair = pairs_.back();
    pairs_.pop_back();
    return pair;
  }

 private:
  double t_max_;
  std::vector<TimedPair> pairs_;
};

// Returns the time up to which a gap lasts that is s0 > 0 at t, as gap_lasts() proves it for chords
// from t: gap(end) is the gap at the time `end`, curvature(duration) bounds its second derivative
// on [t, t + duration]. At least t. A chord to t_max is tried where the path hardly bends, else a
// shorter one. Each chord to a time just after the proven one proves a longer time.
template <class Gap, class Curvature>
double lasts_until(double t, double t_max, double s0, const Gap& gap, const Curvature& curvature) {
  double reached = t;
  if (!(s0 > 0)) return reached;
  const double bend = curvature(t_max - t);
  double duration = t_max - t;
  if (bend > 0) duration = std::min(duration, std::sqrt(8 * s0 / bend));
  double end = std::min(t + duration, t_max);
  for (int attempt = 0; attempt < 4 && end > t; ++attempt) {
    const double share = gap_lasts(s0, gap(end), curvature(end - t), end - t);
    reached = std::max(reached, time_at(t, end, share));
    const double next = t + 1.3 * (reached - t);
    if (share >= 1 || !(next < end) || !(next > t)) break;
    end = next;
  }
  for (; reached <= t && duration > 0x1p-51; duration /= 8) {
    end = std::min(t + duration, t_max);
    if (!(end > t)) break;
    reached =
        std::max(reached, time_at(t, end, gap_lasts(s0, gap(end), curvature(end - t), end - t)));
  }
  return reached;
}

// A best-first search over pairs of parts, in the order of time, as that of meshes in
// model_advance.cpp. Every visit of a pair proves it apart for a longer time, by its balls or along
// the direction between the closest points of its two parts, or divides it. Two leaves within the
// threshold end the search: every other pair has a later time.
class PartSearch {
 public:
  PartSearch(const Parts& a, const Motion& motion_a, const Parts& b, const Motion& motion_b,
             const StoppableOptions& options, const Roundness& round)
      : a_(a, motion_a),
        b_(b, motion_b),
        options_(options),
        t_max_(options.t_max),
        heap_(options.t_max) {
    const double kept = options.margin + round.radii;
    error_ = a_.error() + b_.error() + 0x1p-50 * kept;
    if (a.is_curved() || b.is_curved()) error_ += curved_share * (a.reach() + b.reach());
    slack_ = (error_ + kept) * (1 + 0x1p-51);
    result_.threshold = contact_threshold(round.size, options, error_);
    threshold_ = kept + result_.threshold;
    speed_ = (motion_a.velocity - motion_b.velocity).norm();
    result_.impact = Impact::separated();
  }

  BodyImpact run() {
    bool decided = slack_ < 0x1p400;
    double t = 0;
    if (decided) {
      end_ = frame_at(t_max_);
      heap_.push({0, a_.parts.root(), b_.parts.root(), 0, Vec3::Zero()});
    }
    while (decided && !heap_.empty()) {
      const TimedPair pair = heap_.pop();
      t = pair.t;
      decided = !is_over(checks_, options_);
      if (decided && visit(pair)) break;
    }
    if (!decided) result_.impact = Impact::undecided(t, t_max_);
    result_.impact.checks = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(checks_, std::numeric_limits<std::uint32_t>::max()));
    return result_;
  }

 private:
  struct Frame {
    double t = -1;
    Placement a, b;
  };
  Frame frame_at(double t) const {
    return {t, placement_at(a_.motion, t), placement_at(b_.motion, t)};
  }

  // Returns true if the visit ends the search.
  bool visit(TimedPair pair) {
    ++checks_;
    if (now_.t != pair.t) now_ = frame_at(pair.t);
    const Part a = a_.parts.part(pair.a), b = b_.parts.part(pair.b);
    const bool leaves = a.leaf && b.leaf;
    const double radii = a.radius + b.radius;
    const double rho_a = a_.axis_distance(a), rho_b = b_.axis_distance(b);
    double reached = balls_apart_until(a, b, rho_a, rho_b);
    if (reached >= t_max_) return false;
    const double speed = speed_ + a_.bound.turn * rho_a + b_.bound.turn * rho_b;
    const auto is_short = [&] { return (reached - pair.t) * speed < 0.5 * radii; };
    if (leaves || is_short()) {
      const Vec3 between = now_.a * a.centre - now_.b * b.centre;
      ClosestGoal goal;
      goal.size = std::max({radii, between.norm(), 0x1p-500});
      goal.beyond = slack_;
      if (leaves) goal.near = (threshold_ - error_) * (1 - 0x1p-49);
      if (leaves) {
        constexpr std::uint64_t most = 1u << 16;
        const std::uint64_t left = options_.max_checks == 0 ? most : options_.max_checks - checks_;
        goal.max_steps = static_cast<std::uint32_t>(std::min(left, most)) + 64;
      }
      const Vec3 hint =
          pair.n.isZero(0) && between.norm() > 0 ? Vec3(between.normalized()) : pair.n;
      const ClosestParts found = closest_parts({a_.parts, pair.a, a.margin, now_.a},
                                               {b_.parts, pair.b, b.margin, now_.b}, hint, goal);
      if (found.steps > 64) checks_ += found.steps - 64;
      if (leaves && found.hi <= goal.near) return record(pair, a, b, found);
      const Vec3& n = found.n;
      const double curvature =
          a_.bound.curvature(n, rho_a + a.radius) + b_.bound.curvature(n, rho_b + b.radius);
      const auto gap = [&](double t) {
        const Frame then = t == t_max_ ? end_ : frame_at(t);
        return a_.lowest(pair.a, a, then.a, n) + b_.lowest(pair.b, b, then.b, -n) - slack_;
      };
      // lo is gap(t) with its sums in another order, which error_ covers.
      if (const double s0 = found.lo - slack_; s0 > 0)
        reached = std::max(reached,
                           lasts_until(pair.t, t_max_, s0, gap, [&](double) { return curvature; }));
      pair.n = n;
    }
    if (leaves && reached <= pair.t) {
      result_.impact = Impact::undecided(pair.t, t_max_);
      return true;
    }
    const bool divide = !leaves && is_short();
    pair.t = reached;
    ++pair.steps;
    if (!divide) {
      heap_.push(pair);
      return false;
    }
    pair.steps = 0;
    const bool first = b.leaf || (!a.leaf && a.radius >= b.radius);
    Parts::Children children;
    const std::uint32_t count =
        first ? a_.parts.children(pair.a, children) : b_.parts.children(pair.b, children);
    for (std::uint32_t k = 0; k < count; ++k) {
      (first ? pair.a : pair.b) = children[k];
      heap_.push(pair);
    }
    return false;
  }

  // Returns the time up to which the balls of two parts are proven apart along the line on which
  // their centres come closest, if these moved on straight lines.
  double balls_apart_until(const Part& a, const Part& b, double rho_a, double rho_b) const {
    const auto between = [&](const Frame& frame) {
      return Vec3(frame.a * a.centre - frame.b * b.centre);
    };
    const Vec3 d0 = between(now_), way = between(end_) - d0;
    const double way_sq = way.squaredNorm();
    const Vec3 d = d0 + way * (way_sq > 0 ? std::clamp(-d0.dot(way) / way_sq, 0.0, 1.0) : 0);
    const double distance = d.norm(), start = d0.norm();
    const double kept = a.radius + b.radius + slack_;
    if (!(start > kept)) return now_.t;
    const bool passes = !(distance > kept);
    const Vec3 n = passes ? Vec3(d0 / start) : Vec3(d / distance);
    const double curvature = a_.bound.curvature(rho_a) + b_.bound.curvature(rho_b);
    return lasts_until(
        now_.t, t_max_, n.dot(d0) - kept,
        [&](double t) { return n.dot(between(t == t_max_ ? end_ : frame_at(t))) - kept; },
        [&](double) { return curvature; });
  }

  bool record(const TimedPair& pair, const Part& a, const Part& b, const ClosestParts& found) {
    result_.impact = Impact::contact(pair.t, t_max_);
    // The difference of points that are close has few correct digits.
    const Vec3 between = found.a - found.b;
    const double length = between.norm();
    result_.impact.normal = length > 1024 * error_ ? Vec3(between / length) : found.n;
    result_.face_a = a.face;
    result_.face_b = b.face;
    result_.point_a = found.a;
    result_.point_b = found.b;
    result_.distance = found.hi;
    result_.iterations = pair.steps + 1;
    return true;
  }

  MovingParts a_, b_;
  const StoppableOptions& options_;
  std::uint64_t checks_ = 0;
  double t_max_, error_ = 0, slack_ = 0, threshold_ = 0, speed_ = 0;
  Frame now_, end_;
  TimedHeap heap_;
  BodyImpact result_;
};

// A search over the parts of a body against the half space n.(x - q) <= 0, where n is the third
// column of the rotation of the half space and q its origin.
//
// The gap of a body point x is f = n.(x - q). With w and w' the rotations of the half space and of
// the body, v the speed of x - q, D a bound on |x - q|, rho and rho' the distances of q and x from
// their axes:
//   f'' = n''.(x - q) + 2 n'.(x - q)' + n.(x'' - q'')
//      <= |w|^2 D + 2 |w| v + |w'|^2 rho' + |w|^2 rho.
// On a piece of time of length T, D is at most its value at the start plus v T. The gap of a part
// is the least f over its points, so the bound of gap_lasts() holds for it. Without a rotation of
// the half space, n is constant and |w'|^2 rho' has the factor of MotionBound::curvature(n, rho').
//
// Rounding: n errs by less than placement_error()/reach of the half space, which times D is below
// placement_error() for the reach D; q, x and the dot product err as for two bodies.
class HalfSpaceSearch {
 public:
  // `flip`: the half space is body a, otherwise body b.
  HalfSpaceSearch(const Motion& plane, const Parts& body, const Motion& motion, bool flip,
                  const StoppableOptions& options, const Roundness& round)
      : body_(body, motion),
        plane_(plane),
        bound_(plane, 0),
        flip_(flip),
        options_(options),
        t_max_(options.t_max),
        heap_(options.t_max) {
    rho_ = bound_.rotates() ? bound_.axis_distance(Vec3::Zero(), 0) : 0;
    speed_ = (motion.velocity - plane.velocity).norm() * (1 + 0x1p-40) + bound_.turn * rho_;
    const Part root = body.part(body.root());
    const Placement at = placement_at(motion, 0), base = placement_at(plane, 0);
    const double far = (at * root.centre - base.offset).norm() + root.radius + 2 * speed_of(root) +
                       body_.bound.error;
    const double kept = options.margin + round.radii;
    error_ = body_.error() + 1.5 * placement_error(plane, 2 * far) + 0x1p-50 * kept;
    slack_ = (error_ + kept) * (1 + 0x1p-51);
    result_.threshold = contact_threshold(round.size, options, error_);
    threshold_ = kept + result_.threshold;
    result_.impact = Impact::separated();
  }

  BodyImpact run() {
    bool decided = slack_ < 0x1p400;
    double t = 0;
    if (decided) heap_.push({0, body_.parts.root(), 0, 0, Vec3::Zero()});
    while (decided && !heap_.empty()) {
      const TimedPair pair = heap_.pop();
      t = pair.t;
      decided = !is_over(checks_, options_);
      if (decided && visit(pair)) break;
    }
    if (!decided) result_.impact = Impact::undecided(t, t_max_);
    result_.impact.checks = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(checks_, std::numeric_limits<std::uint32_t>::max()));
    return result_;
  }

 private:
  double speed_of(const Part& part) const {
    const double rho = body_.bound.rotates() ? body_.axis_distance(part) + part.radius : 0;
    return speed_ + body_.bound.turn * rho * (1 + 0x1p-40);
  }

  struct Extreme {
    Vec3 point, n;
    double gap;  // without slack
  };
  Extreme extreme_at(double t, std::uint32_t i, const Part& part) const {
    const Placement at = placement_at(body_.motion, t), base = placement_at(plane_, t);
    const Vec3 n = base.rotation.col(2);
    const Vec3 point = PlacedPart{body_.parts, i, 0, at}.extreme(-n);
    return {point, n, n.dot(point - base.offset) - part.margin};
  }

  bool visit(TimedPair pair) {
    ++checks_;
    const Part part = body_.parts.part(pair.a);
    const Extreme now = extreme_at(pair.t, pair.a, part);
    if (part.leaf && now.gap <= (threshold_ - error_) * (1 - 0x1p-49))
      return record(pair, part, now);
    const double speed = speed_of(part);
    const double far =
        (placement_at(body_.motion, pair.t) * part.centre - placement_at(plane_, pair.t).offset)
            .norm() +
        part.radius + error_;
    const double rho = body_.bound.rotates() ? body_.axis_distance(part) + part.radius : 0;
    const double turn = bound_.turn;
    const auto curvature = [&](double duration) {
      if (turn == 0) return body_.bound.curvature(now.n, rho);
      return (turn * turn * (far + speed * duration + rho_) + 2 * turn * speed) * (1 + 0x1p-40) +
             body_.bound.curvature(rho);
    };
    const double reached = lasts_until(
        pair.t, t_max_, now.gap - slack_,
        [&](double t) { return extreme_at(t, pair.a, part).gap - slack_; }, curvature);
    if (part.leaf) {
      if (reached <= pair.t) {
        result_.impact = Impact::undecided(pair.t, t_max_);
        return true;
      }
      pair.t = reached;
      ++pair.steps;
      heap_.push(pair);
      return false;
    }
    const bool divide = (reached - pair.t) * speed < 0.5 * part.radius;
    pair.t = reached;
    if (!divide) {
      heap_.push(pair);
      return false;
    }
    Parts::Children children;
    const std::uint32_t count = body_.parts.children(pair.a, children);
    for (std::uint32_t k = 0; k < count; ++k) heap_.push({pair.t, children[k], 0, 0, Vec3::Zero()});
    return false;
  }

  bool record(const TimedPair& pair, const Part& part, const Extreme& at) {
    result_.impact = Impact::contact(pair.t, t_max_);
    result_.impact.normal = flip_ ? Vec3(-at.n) : at.n;
    result_.distance = std::max(at.gap, 0.0);
    const Vec3 below = at.point - result_.distance * at.n;
    (flip_ ? result_.face_b : result_.face_a) = part.face;
    result_.point_a = flip_ ? below : at.point;
    result_.point_b = flip_ ? at.point : below;
    result_.iterations = pair.steps + 1;
    return true;
  }

  MovingParts body_;
  const Motion& plane_;
  MotionBound bound_;
  bool flip_;
  const StoppableOptions& options_;
  std::uint64_t checks_ = 0;
  double t_max_, rho_ = 0, speed_ = 0, error_ = 0, slack_ = 0, threshold_ = 0;
  TimedHeap heap_;
  BodyImpact result_;
};

}  // namespace

BodyImpact advance_shapes(const Model& a, const Motion& motion_a, const Model& b,
                          const Motion& motion_b, const StoppableOptions& options,
                          const Roundness& round) {
  const PartsOf parts_a(a), parts_b(b);
  if (a.half_space)
    return HalfSpaceSearch(motion_a, *parts_b, motion_b, true, options, round).run();
  if (b.half_space)
    return HalfSpaceSearch(motion_b, *parts_a, motion_a, false, options, round).run();
  return PartSearch(*parts_a, motion_a, *parts_b, motion_b, options, round).run();
}

}  // namespace graze::rigid
