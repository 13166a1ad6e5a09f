#include "graze/rigid/model_advance.h"

#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <cmath>
#include <limits>
#include <optional>
#include <tuple>
#include <vector>

#include "graze/core/numeric/float_environment.h"
#include "graze/rigid/distance/convex_distance.h"
#include "graze/rigid/distance/triangle_distance.h"
#include "graze/rigid/motion/cast.h"
#include "graze/rigid/motion/motion_bound.h"
#include "graze/rigid/motion/sliding.h"

namespace graze::rigid {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Returns the largest n.v over the vertices v of the polytope of a node. The result does not depend
// on the number of lanes: it is the maximum of the same numbers.
double highest(const HullTree& tree, const HullNode& node, const Vec3& n) {
  const hn::CappedTag<double, 4> lanes;
  const double* const x = tree.coordinates(node);
  const std::size_t count = node.stride();
  const auto nx = hn::Set(lanes, n[0]), ny = hn::Set(lanes, n[1]), nz = hn::Set(lanes, n[2]);
  auto best = hn::Set(lanes, -std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < count; i += hn::Lanes(lanes)) {
    const auto xy =
        hn::Add(hn::Mul(nx, hn::LoadU(lanes, x + i)), hn::Mul(ny, hn::LoadU(lanes, x + count + i)));
    best = hn::Max(best, hn::Add(xy, hn::Mul(nz, hn::LoadU(lanes, x + 2 * count + i))));
  }
  return hn::GetLane(hn::MaxOfLanes(lanes, best));
}

// A model and its motion.
struct MovingModel {
  const Model& model;
  const Motion& motion;
  MotionBound bound;

  MovingModel(const Model& m, const Motion& path)
      : model(m), motion(path), bound(path, 2 * m.tree.reach()) {}

  const HullNode& node(std::uint32_t i) const { return model.tree.node(i); }

  // Returns the least n.p over the points p of the placed node.
  double lowest(const HullNode& node, const Placement& at, const Vec3& n) const {
    const Vec3 turned = -(at.rotation.transpose() * n);
    return n.dot(at.offset) - highest(model.tree, node, turned) - node.margin;
  }
  // Returns lowest() at another time. Without rotation only the offset differs.
  double lowest_later(const HullNode& node, const Placement& at, const Placement& before,
                      double lowest_before, const Vec3& n) const {
    if (bound.rotates()) return lowest(node, at, n);
    return lowest_before + n.dot(at.offset - before.offset);
  }

  double axis_distance(const HullNode& node) const {
    return bound.rotates() ? bound.axis_distance(node.centre, 0) : 0;
  }

  Triangle placed(std::uint32_t leaf, const Placement& at) const {
    const Face& face = model.faces[node(leaf).face];
    return {at * model.vertices[face[0]], at * model.vertices[face[1]],
            at * model.vertices[face[2]]};
  }

  // Returns the unit normal of the placed triangle of a leaf; 0 if it has no area.
  Vec3 normal(const HullNode& leaf, const Placement& at) const {
    const Face& face = model.faces[leaf.face];
    const Vec3& corner = model.vertices[face[0]];
    const Vec3 across = (model.vertices[face[1]] - corner).cross(model.vertices[face[2]] - corner);
    const double length = across.norm();
    return length > 0 ? Vec3(at.rotation * (across / length)) : Vec3(Vec3::Zero());
  }
};

const Mesh& two_triangles() {
  static const Mesh mesh = make_mesh(6, {{0, 1, 2}, {3, 4, 5}});
  return mesh;
}
const Pairs& pairs_of_two_triangles() {
  static const Pairs pairs = [] {
    Pairs all;
    for (std::uint32_t vertex = 0; vertex < 6; ++vertex)
      all.vertex_face.push_back({vertex, vertex < 3 ? 1u : 0u});
    for (std::uint32_t a = 0; a < 3; ++a)
      for (std::uint32_t b = 3; b < 6; ++b) all.edge_edge.push_back({a, b});
    return all;
  }();
  return pairs;
}

// Two nodes that are proven apart on [0, t).
struct Pair {
  double t;
  std::uint32_t a, b;
  bool split;           // the next visit divides the pair; otherwise it advances in time
  std::uint32_t steps;  // time steps so far, of two triangles
  Vec3 n;               // the direction that separated the nodes or their parents; or 0
  // The body that the last separating plane of the nodes or their parents moves with, and the
  // number of ticks for which that plane separated.
  Sliding::Base base = Sliding::Base::a;
  std::uint8_t span = 128;

  // Orders a heap with the earliest pair on top.
  bool operator<(const Pair& other) const {
    return std::tie(t, a, b) > std::tie(other.t, other.a, other.b);
  }
};

// A best-first search over pairs of nodes, in the order of time.
//
// A heap holds pairs of nodes that together cover all pairs of triangles. Each pair has a time up
// to which it is proven apart. The earliest pair is removed and is proven apart for a longer time,
// or replaced by its children, or, if it is two triangles, advanced by one time step. When two
// triangles within the threshold are removed, every other pair has a later time, so nothing touches
// before. Pairs that come close only after the first contact are never examined.
class Search {
 public:
  Search(const Model& a, const Motion& motion_a, const Model& b, const Motion& motion_b,
         const StoppableOptions& options, const MotionObserver& observer, const Roundness& round)
      : a_(a, motion_a),
        b_(b, motion_b),
        observer_(observer),
        options_(options),
        t_max_(options.t_max) {
    kept_ = options.margin + round.radii;
    error_ = position_error(a_.bound.error, b_.bound.error, round);
    slack_ = (error_ + kept_) * (1 + 0x1p-51);
    result_.threshold = contact_threshold(round.size, options, error_);
    threshold_ = kept_ + result_.threshold;
    speed_ = (motion_a.velocity - motion_b.velocity).norm();
    if (options.front_faces)
      way_ =
          placement_at(motion_b, 0).rotation.transpose() * (motion_a.velocity - motion_b.velocity);
    result_.impact = Impact::separated();
    heap_.reserve(64);
  }

  BodyImpact run() {
    bool decided = slack_ < 0x1p400, found = false;
    double t = 0;
    if (decided) begin_window(0, t_max_);
    while (decided && !found && !(heap_.empty() && end_ == t_max_)) {
      if (heap_.empty()) {
        next_window();
        continue;
      }
      const Pair pair = heap_.front();
      t = pair.t;
      if (!sliding_ && checks_ > sliding_checks) {
        first_short_window(t);
        continue;
      }
      std::pop_heap(heap_.begin(), heap_.end());
      heap_.pop_back();
      decided = !is_over(checks_, options_);
      found = decided && visit(pair);
    }
    if (!decided) result_.impact = Impact::undecided(t, t_max_);
    result_.impact.checks = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(checks_, std::numeric_limits<std::uint32_t>::max()));
    return result_;
  }

 private:
  // The search proceeds in windows of time, at first one for the whole step. At the start of a
  // window the bodies are proven apart at all earlier times, and nothing else is known. Nodes are
  // tested between the times of a grid of the window, at which the placements are stored.
  static constexpr std::size_t ticks = 128;

  void begin_window(double begin, double end) {
    begin_ = begin;
    end_ = end;
    window_checks_ = checks_;
    tick_known_.reset();
    heap_.clear();
    look_ahead({begin, 0, 0, false, 0, Vec3::Zero()});
  }

  // Bodies that are not decided after this many checks slide past each other, or graze. Pairs that
  // were divided once stay divided, and most of them separate soon, while others approach. So the
  // search starts again from the whole bodies, in windows that are short enough for most pairs to
  // be proven apart by one test.
  static constexpr std::uint64_t sliding_checks = 2000;
  void first_short_window(double t) {
    sliding_.emplace(a_.model, a_.motion, b_.model, b_.motion, t_max_, kept_);
    width_ = 4 / sliding_->turn();  // the relative rotation is at most 4 radians at first
    begin_window(t, window_end(t));
  }
  double window_end(double begin) const {
    const double end = begin + width_;
    return end < t_max_ && end > begin ? end : t_max_;
  }
  // Starts the next window. Its length changes by the factor growth_, which is inverted whenever
  // the checks per time have become more. Every promise holds for any length.
  void next_window() {
    const double rate = static_cast<double>(checks_ - window_checks_) / (end_ - begin_);
    if (rate > last_rate_) growth_ = 1 / growth_;
    last_rate_ = rate;
    width_ = std::max(width_ * growth_, t_max_ / 1024);
    begin_window(end_, window_end(end_));
  }

  Frame frame_at(double t) const {
    return {t, placement_at(a_.motion, t), placement_at(b_.motion, t)};
  }
  const Frame& tick(std::size_t i) {
    Frame& frame = ticks_[i];
    if (!tick_known_[i])
      frame = frame_at(
          i == ticks ? end_ : std::min(begin_ + double(i) / double(ticks) * (end_ - begin_), end_));
    tick_known_[i] = true;
    return frame;
  }
  // Returns the index of the last tick that is not after t, or of the one before it. The quotient
  // has a relative error of a few u, so i is too large by at most 1. tick(i - 1) is not after t in
  // real arithmetic, nor as computed, because rounding is monotone.
  std::size_t tick_before(double t) {
    const double place = std::max((t - begin_) / (end_ - begin_), 0.0) * double(ticks);
    const auto i = std::min(ticks - 1, static_cast<std::size_t>(place));
    return i > 0 && tick(i).t > t ? i - 1 : i;
  }

  // Returns a time up to which two nodes are proven apart by a plane that moves with a body, from a
  // tick on: to the end of the window, or half as far, and so on. The first interval is at most
  // twice as long as the last one that was proven for the pair or its parents. Nodes that are not
  // apart at the start of the interval have to be divided; for others a few intervals are tested.
  // Planes on the body that had the last plane are tested first, and on the other one in the last
  // interval. Every interval after the first is a check of its own.
  double slides_until(Pair& pair, const HullNode& a, const HullNode& b, std::size_t first) {
    constexpr int halvings = 2;
    const Frame& from = tick(first);
    const bool leaves = a.is_leaf() && b.is_leaf();
    std::size_t span = std::min(ticks - first, std::size_t{2} * pair.span);
    for (int k = 0;; ++k) {
      if (k > 0) ++checks_;
      const Frame& to = tick(first + span);
      const Frame middle = span % 2 == 0 ? tick(first + span / 2) : frame_at(0.5 * (from.t + to.t));
      const bool last = span == 1 || (k == halvings && !leaves);
      for (int side = 0; side < (last ? 2 : 1); ++side) {
        if (sliding_->keeps_apart(pair.base, a, b, from, middle, to)) {
          pair.span = static_cast<std::uint8_t>(span);
          return to.t;
        }
        if (last) pair.base = pair.base == Sliding::Base::a ? Sliding::Base::b : Sliding::Base::a;
      }
      if (last) break;
      if (k == 0) {
        ++checks_;
        if (!sliding_->keeps_apart(pair.base, a, b, from, from, from)) break;
      }
      span /= 2;
    }
    pair.span = static_cast<std::uint8_t>(span);
    return from.t;
  }

  // Returns a lower bound on the gap between two nodes along n, minus the margin.
  double gap(const HullNode& a, const HullNode& b, const Frame& at, const Vec3& n) const {
    return a_.lowest(a, at.a, n) + b_.lowest(b, at.b, -n) - slack_;
  }

  bool visit(const Pair& pair) {
    const HullNode &a = a_.node(pair.a), &b = b_.node(pair.b);
    if (a.is_leaf() && b.is_leaf() && pair.split) return advance_triangles(pair);
    if (!pair.split) {
      look_ahead(pair);
    } else if (divides_first(a, b)) {
      look_ahead(part(pair, a.child, pair.b));
      look_ahead(part(pair, a.child + 1, pair.b));
    } else {
      look_ahead(part(pair, pair.a, b.child));
      look_ahead(part(pair, pair.a, b.child + 1));
    }
    return false;
  }

  static Pair part(Pair pair, std::uint32_t a, std::uint32_t b) {
    pair.a = a;
    pair.b = b;
    pair.split = false;
    pair.steps = 0;
    return pair;
  }

  void push(const Pair& pair) {
    if (pair.t >= end_) return;
    heap_.push_back(pair);
    std::push_heap(heap_.begin(), heap_.end());
  }

  // Proves the pair apart for some time after the last tick before pair.t and pushes it. The time
  // is limited so that no path bends by more than a quarter of the distance of the centres. The
  // balls are tested first, along the line on which their centres come closest. The polytopes are
  // tested along that line, along the line between the centres at the tick, along the direction
  // that separated the pair before, and along the normals of leaves.
  void look_ahead(Pair pair) {
    ++checks_;
    if (way_) {
      const HullTree::Box& box = b_.model.tree.box(pair.b);
      if (box.child == 0 && is_back_face(b_.model, box.face, *way_)) return;
    }
    const HullNode &a = a_.node(pair.a), &b = b_.node(pair.b);
    const std::size_t first = tick_before(pair.t);
    const Frame& from = tick(first);
    const double radii = a.radius + b.radius;
    const double rho_a = a_.axis_distance(a), rho_b = b_.axis_distance(b);
    const Vec3 d0 = from.a * a.centre - from.b * b.centre;
    const double bend = a_.bound.curvature(rho_a + a.radius) + b_.bound.curvature(rho_b + b.radius);
    const double ahead =
        std::sqrt(2 * std::max(d0.norm(), radii) / bend) / (end_ - begin_) * double(ticks);
    const Frame& to = tick(
        ahead < double(ticks - first) ? std::min(ticks, first + 1 + std::size_t(ahead)) : ticks);
    const double duration = to.t - from.t;
    const Vec3 d1 = to.a * a.centre - to.b * b.centre;
    const Vec3 way = d1 - d0;
    const double way_sq = way.squaredNorm();
    const Vec3 d = d0 + way * (way_sq > 0 ? std::clamp(-d0.dot(way) / way_sq, 0.0, 1.0) : 0);
    const double distance = d.norm();

    double until = 0;
    const auto look_along = [&](const Vec3& n) {
      if (until >= 1) return;
      const double a0 = a_.lowest(a, from.a, n), b0 = b_.lowest(b, from.b, -n);
      const double s0 = a0 + b0 - slack_;
      if (!(s0 > 0)) return;
      const double s1 = a_.lowest_later(a, to.a, from.a, a0, n) +
                        b_.lowest_later(b, to.b, from.b, b0, -n) - slack_;
      const double curvature =
          a_.bound.curvature(n, rho_a + a.radius) + b_.bound.curvature(n, rho_b + b.radius);
      const double lasts = gap_lasts(s0, s1, curvature, duration);
      if (lasts > until) until = lasts, pair.n = n;
    };
    const Vec3 hint = pair.n;
    const double start = d0.norm();
    if (distance > 0) {
      const Vec3 n = d / distance;
      until = gap_lasts(n.dot(d0) - radii - slack_, n.dot(d1) - radii - slack_,
                        a_.bound.curvature(rho_a) + b_.bound.curvature(rho_b), duration);
      look_along(n);
    }
    if (start > 0) look_along(d0 / start);
    if (!hint.isZero(0)) look_along(hint);
    if (until < 1 && a.is_leaf()) {
      const Vec3 n = a_.normal(a, from.a);
      look_along(n.dot(d0) < 0 ? -n : n);
    }
    if (until < 1 && b.is_leaf()) {
      const Vec3 n = b_.normal(b, from.b);
      look_along(n.dot(d0) < 0 ? -n : n);
    }
    // Between nodes of very different size the line of centres is a poor direction, and dividing
    // the large node is expensive. A search for the best direction costs less.
    const bool slides = until < 1 && sliding_;
    if (!slides && until < 1 && std::max(a.radius, b.radius) > 4 * std::min(a.radius, b.radius)) {
      const RelativePlacement seen =
          relative_placement(from.a, a_.model.tree.reach(), from.b, b_.model.tree.reach());
      const ConvexDistance closest =
          convex_distance(polytope(a_.model.tree, a), polytope(b_.model.tree, b), seen, {},
                          std::numeric_limits<double>::infinity(), 0.1);
      if (closest.lo > 0) look_along((from.a.rotation * closest.normal).normalized());
    }
    pair.t = std::max(pair.t, time_at(from.t, to.t, until));
    if (slides) pair.t = std::max(pair.t, slides_until(pair, a, b, first));
    // Divide the pair if the next test would start from the same tick, or if the proven time is
    // short: the nodes move by less than half of their size in it. The parts of nodes that slide
    // past each other are not proven apart for a longer time, so these are not divided for that.
    const double speed = speed_ + a_.bound.turn * rho_a + b_.bound.turn * rho_b;
    pair.split =
        (!slides && (pair.t - from.t) * speed < 0.5 * radii) || tick_before(pair.t) == first;
    push(pair);
  }

  // Returns a direction that separates two triangles: that between their closest points. If these
  // are so close that rounding spoils their difference, returns the best of several.
  //
  // The best direction of two triangles whose distance is d > 0 is the difference of two corners, a
  // direction across an edge (corner and edge), a cross product of edges, or a normal. Let L be the
  // length of the triangles and u = 2^-53. The difference of the closest points is off by u times
  // the coordinates, which turns it by up to u/d and tilts it against an edge by L u/d. Removing
  // its part along the edge, twice, leaves a tilt of about u L. The same holds for the normals of
  // slivers. The gap along the best direction is then d minus a few u times the coordinates, less
  // than the error of positions.
  Vec3 separating_direction(const HullNode& a, const HullNode& b, const Frame& frame,
                            const Triangle& ta, const Triangle& tb, const TriangleDistance& found,
                            const Vec3& last) const {
    const Vec3 between = found.a - found.b;
    Vec3 best = Vec3::Zero();
    double best_gap = -std::numeric_limits<double>::infinity();
    if (found.distance > 0) {
      best = between / found.distance;
      best_gap = gap(a, b, frame, best);
      if (best_gap >= 0.75 * found.distance - slack_) return best;
    }
    const auto offer = [&](const Vec3& direction) {
      const double length = direction.norm();
      if (!(length > 0)) return;
      for (const double sign : {-1.0, 1.0}) {
        const Vec3 n = direction * (sign / length);
        if (const double s = gap(a, b, frame, n); s > best_gap) best = n, best_gap = s;
      }
    };
    offer(last);
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        offer((ta[(i + 1) % 3] - ta[i]).cross(tb[(j + 1) % 3] - tb[j]));
    for (const Vec3& direction : {between, Vec3((ta[1] - ta[0]).cross(ta[2] - ta[0])),
                                  Vec3((tb[1] - tb[0]).cross(tb[2] - tb[0]))}) {
      offer(direction);
      for (const Triangle* triangle : {&ta, &tb})
        for (std::size_t i = 0; i < 3; ++i) {
          const Vec3 edge = (*triangle)[(i + 1) % 3] - (*triangle)[i];
          const double squared = edge.squaredNorm();
          if (!(squared > 0)) continue;
          Vec3 across = direction;
          for (int round = 0; round < 2; ++round) across -= edge * (edge.dot(across) / squared);
          offer(across);
        }
    }
    return best;
  }

  void show(const Pair& pair, const Triangle& a, const Triangle& b, double until) const {
    if (!observer_) return;
    const Frame end = frame_at(until);
    const Triangle a_end = a_.placed(pair.a, end.a), b_end = b_.placed(pair.b, end.b);
    observer_({two_triangles(), std::array{a[0], a[1], a[2], b[0], b[1], b[2]},
               std::array{a_end[0], a_end[1], a_end[2], b_end[0], b_end[1], b_end[2]}},
              pairs_of_two_triangles());
  }

  // Advances two triangles by one time step. Returns true if that ends the search: with a contact,
  // or undecided because rounding hides whether the triangles touch.
  //
  // The second case needs a threshold below 4 e, where e is error_. Otherwise the distance d of two
  // triangles that are not in contact exceeds 3 e (beyond the margin), the gap along the separating
  // direction exceeds d - 1.5 e, and s0 exceeds e/2. e is at least 160 u times the length that any
  // point moves in the step, so the gap lasts for more than 64 u, which is more than the rounding
  // of times.
  bool advance_triangles(Pair pair) {
    ++checks_;
    const HullNode &a = a_.node(pair.a), &b = b_.node(pair.b);
    const Frame frame = frame_at(pair.t);
    const Triangle ta = a_.placed(pair.a, frame.a), tb = b_.placed(pair.b, frame.b);
    const TriangleDistance found = triangle_distance(ta, tb);
    if (found.distance * (1 + 0x1p-50) + error_ <= threshold_) {
      show(pair, ta, tb, t_max_);
      return record(Verdict::contact, pair, ta, tb, found);
    }
    const Vec3 n = separating_direction(a, b, frame, ta, tb, found, pair.n);
    const double s0 = gap(a, b, frame, n);
    const double curvature = a_.bound.curvature(n, a_.axis_distance(a) + a.radius) +
                             b_.bound.curvature(n, b_.axis_distance(b) + b.radius);
    // The chord to a tick gives a first time. Each chord to a time just after it gives a later
    // time.
    double reached = pair.t;
    Frame nearer;
    const Frame* end = &tick(std::min(ticks, tick_before(pair.t) + 4));
    double duration = end->t - pair.t;
    for (int attempt = 0; attempt < 4; ++attempt) {
      const double share = gap_lasts(s0, gap(a, b, *end, n), curvature, end->t - pair.t);
      reached = std::max(reached, time_at(pair.t, end->t, share));
      const double next = pair.t + 1.3 * (reached - pair.t);
      if (share >= 1 || !(next < end->t) || !(next > pair.t)) break;
      nearer = frame_at(next);
      end = &nearer;
    }
    // On fast turns the chord to a tick proves less than the rounding of times. A shorter one bends
    // less.
    for (; reached <= pair.t && s0 > 0 && duration > 0x1p-51; duration /= 8) {
      const Frame near = frame_at(std::min(pair.t + duration, end_));
      const double share = gap_lasts(s0, gap(a, b, near, n), curvature, near.t - pair.t);
      reached = std::max(reached, time_at(pair.t, near.t, share));
    }
    if (reached <= pair.t) return record(Verdict::undecided, pair, ta, tb, found);
    show(pair, ta, tb, reached);
    pair.split = !sliding_ || tick_before(reached) == tick_before(pair.t);
    pair.t = reached;
    pair.n = n;
    ++pair.steps;
    push(pair);
    return false;
  }

  // Returns a normal for triangles whose closest points coincide: the normal of one of them, else
  // the direction between their centres, else any.
  static Vec3 contact_normal(const Triangle& a, const Triangle& b) {
    const Vec3 across = a[0] + a[1] + a[2] - b[0] - b[1] - b[2];
    for (const Vec3& n :
         {Vec3((b[1] - b[0]).cross(b[2] - b[0])), Vec3((a[1] - a[0]).cross(a[2] - a[0])), across})
      if (n.norm() > 0) return (n.dot(across) < 0 ? -n : n).normalized();
    return Vec3::UnitZ();
  }

  bool record(Verdict verdict, const Pair& pair, const Triangle& a, const Triangle& b,
              const TriangleDistance& found) {
    result_.impact = verdict == Verdict::contact ? Impact::contact(pair.t, t_max_)
                                                 : Impact::undecided(pair.t, t_max_);
    if (verdict != Verdict::contact) return true;
    result_.impact.normal =
        found.distance > 0 ? Vec3((found.a - found.b) / found.distance) : contact_normal(a, b);
    result_.face_a = a_.node(pair.a).face;
    result_.face_b = b_.node(pair.b).face;
    result_.point_a = found.a;
    result_.point_b = found.b;
    result_.distance = found.distance;
    result_.iterations = pair.steps + 1;
    return true;
  }

  MovingModel a_, b_;
  const MotionObserver& observer_;
  const StoppableOptions& options_;
  std::uint64_t checks_ = 0;
  double t_max_, begin_ = 0, end_ = 0, width_ = 0;  // of the step and of the window
  double last_rate_ = HUGE_VAL, growth_ = 2;        // checks per time in the last window
  std::uint64_t window_checks_ = 0;                 // checks before the window
  double kept_ = 0, error_ = 0, slack_ = 0, threshold_ = 0, speed_ = 0;
  std::optional<Vec3> way_;  // of a relative to b, in the coordinates of b; only for front_faces
  std::optional<Sliding> sliding_;
  std::bitset<ticks + 1> tick_known_;
  std::array<Frame, ticks + 1> ticks_;  // valid where tick_known_
  std::vector<Pair> heap_;
  BodyImpact result_;
};

}  // namespace

bool is_sensible(const AdvanceOptions& options) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  return options.t_max > 0 && options.t_max <= 1 && options.threshold >= 0 &&
         options.threshold < inf && options.margin >= 0 && options.margin < inf;
}

bool advance_accepts(const Model& a, const Motion& motion_a, const Model& b, const Motion& motion_b,
                     const AdvanceOptions& options) {
  const bool still = motion_a.rotation.isZero(0) && motion_b.rotation.isZero(0);
  return a.valid() && b.valid() && motion_a.is_finite() && motion_b.is_finite() &&
         is_sensible(options) && (!options.front_faces || (still && a.has_mesh() && b.has_mesh()));
}

double contact_threshold(double size, const AdvanceOptions& options, double error) {
  const double usual = 1e-3 * size;
  if (options.smallest_threshold) return std::min(4 * error, usual);
  return options.threshold > 0 ? options.threshold : usual;
}

BodyImpact advance(const Model& a, const Motion& motion_a, const Model& b, const Motion& motion_b,
                   const StoppableOptions& options, const MotionObserver& observer,
                   const Roundness& round) {
  const FloatEnvironment environment;
  if (!advance_accepts(a, motion_a, b, motion_b, options)) return BodyImpact::invalid();
  if (!observer)
    if (const auto cast = advance_cast(a, motion_a, b, motion_b, options, round)) return *cast;
  return Search(a, motion_a, b, motion_b, options, observer, round).run();
}

}  // namespace graze::rigid
