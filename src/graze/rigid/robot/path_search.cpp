#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "graze/core/numeric/float_environment.h"
#include "graze/rigid/distance.h"
#include "graze/rigid/distance/model_distance.h"
#include "graze/rigid/model/model.h"
#include "graze/rigid/motion/motion_bound.h"
#include "graze/rigid/robot/collect_proof.h"
#include "graze/rigid/robot/link_motion.h"
#include "graze/rigid/robot/near_pairs.h"
#include "graze/rigid/robot/scene.h"
#include "graze/rigid/shapes/containment.h"
#include "graze/rigid/shapes/round_points.h"

namespace graze::rigid {
namespace {

constexpr std::uint32_t none = PathChecker::Scene::none;
constexpr int most_halvings = 48;  // of a piece

}  // namespace

// A direction n proves two parts apart on [s0, s1] if the gap along n, less margin, radii and the
// rounding of positions, is positive on the interval by gap_lasts(): at both ends it is computed,
// and the second derivative is bounded by the sum of LimbBound::acceleration. Directions come from
// the balls of the nodes, from the last proof, and from the closest points at s0 and at s1. Any
// direction may be tried; rounding in its computation does no harm.
//
// Parts that no direction proves apart are divided (too coarse), or the interval is halved (too
// long). Two triangles whose distance at s0 is within the threshold of the margin end the search of
// the pair: a contact at s0, before which everything is proven. Otherwise they are further apart by
// the threshold, and an interval on which they move less is proven; so the search ends.
//
// Only times before end_, the first contact so far, matter. On an interval that contains end_, a
// proof up to end_ suffices. So the search looks for early contacts first: parts that overlap at s0
// are divided before those that are apart there, and triangles that touch at s1 are followed to
// their contact.
class PathSearch::State {
  // divide: the parts are too coarse; later: the same, and they are apart at the start of the
  // interval; halve: the interval is too long; follow: two triangles that are apart at its start
  // and touch at its end.
  enum class Outcome : std::uint8_t { proven, divide, later, halve, follow, contact };

  // An interval of a piece. Intervals are halved, so that all pairs meet at the same times and
  // share the samples.
  struct PathInterval {
    double s0, s1;
    std::uint32_t at0, at1;       // samples
    std::uint32_t halves = none;  // index of the first half, which the second follows
    int depth = 0;
    std::vector<LimbBound> bounds;  // of moving limbs; negative if not computed
  };

  // Two nodes of the hull trees of a pair, with the direction that separated them last, in the
  // coordinates of the base. 0: none.
  struct OpenNodes {
    std::uint32_t a, b;
    Vec3 normal;
    Witness witness;
    Outcome outcome = Outcome::divide;  // of the last test
  };

  // The parts of a pair on an interval that are not proven: `open` are to be tested, `later` are
  // apart at its start.
  struct Task {
    std::uint32_t interval;
    std::vector<OpenNodes> open, later;
  };

  // A pair of limbs after the search for contacts at the start of the piece.
  struct OpenPair {
    std::uint32_t index;
    Task task;
    bool may_contain;  // one shape may lie inside the other at the start of the path
  };

 public:
  explicit State(const PathChecker::Scene& scene) : scene_(scene), near_(scene) {}

  RobotCheck run(const Trajectory& path, const std::atomic<bool>* stop) {
    stop_ = stop;
    RobotCheck check;
    check.problem = scene_.problem;
    if (check.problem.empty())
      check.problem = path_problem(scene_.mechanism, path, scene_.options.joint_limits);
    if (!check.problem.empty()) return check;
    check.verdict = Verdict::separated;
    checks_ = 0;
    proof_.clear();
    for (std::size_t piece = 0; piece < path.pieces(); ++piece) {
      search_piece(path, piece, check);
      if (check.verdict != Verdict::separated) {
        check.piece = static_cast<std::uint32_t>(piece);
        const double t0 = path.times[piece], t1 = path.times[piece + 1];
        check.time = std::min(t0 + check.s * (t1 - t0), t1);
        break;
      }
    }
    check.checks = checks_;
    if (scene_.options.proof && check.verdict == Verdict::separated) {
      check.proof = collect_proof(scene_, std::move(proof_));
      proof_ = {};
    }
    return check;
  }

 private:
  void search_piece(const Trajectory& path, std::size_t piece, RobotCheck& check) {
    motion_.emplace(scene_, curves_of(scene_.mechanism, path, piece));
    piece_ = static_cast<std::uint32_t>(piece);
    samples_used_ = 0;
    intervals_used_ = 0;
    end_ = HUGE_VAL;
    const std::uint32_t at0 = add_sample(0), at1 = add_sample(1);
    add_interval(0, 1, at0, at1, 0);
    // Closest pairs first: an early contact shortens the search of the others.
    find_pairs(path, piece);
    for (auto& [gap, i] : order_) {
      const LimbPair& pair = scene_.pairs[i];
      gap = (centre(at0, pair.a) - centre(at0, pair.b)).norm() - scene_.limbs[pair.a].radius -
            scene_.limbs[pair.b].radius - pair.margin;
    }
    std::sort(order_.begin(), order_.end());
    std::vector<OpenPair> open;
    for (const auto& [gap, i] : order_) {
      if (quick_proof(i)) continue;
      open.push_back(search_start(i, check));
      if (!(end_ > 0)) return;
    }
    for (OpenPair& pair : open) {
      search_pair(pair, check);
      if (!(end_ > 0)) return;
    }
  }

  // Lists the pairs to search in order_. For a proof every pair needs a claim, so all are listed.
  void find_pairs(const Trajectory& path, std::size_t piece) {
    order_.clear();
    if (scene_.options.proof) {
      for (std::uint32_t i = 0; i < scene_.pairs.size(); ++i) order_.emplace_back(0, i);
      return;
    }
    const PathInterval& whole = intervals_[0];
    const std::array<double, 2> part = part_of_path(path, piece);
    for (const std::uint32_t i :
         near_.find({*motion_, samples_[whole.at0], samples_[whole.at1],
                     [this](std::uint32_t limb) { return bound(0, limb); }, part[0], part[1]}))
      order_.emplace_back(0, i);
  }

  Vec3 centre(std::uint32_t sample, std::uint32_t limb) {
    return motion_->centre(samples_[sample], limb);
  }

  LimbBound bound(std::uint32_t i, std::uint32_t limb) {
    if (limb >= scene_.moving) return {};
    PathInterval& interval = intervals_[i];
    LimbBound& known = interval.bounds[limb];
    if (known.acceleration < 0) known = motion_->bound(samples_[interval.at0], interval.s1, limb);
    return known;
  }

  std::uint32_t add_sample(double s) {
    if (samples_used_ == samples_.size()) samples_.emplace_back();
    motion_->begin(s, samples_[samples_used_]);
    return static_cast<std::uint32_t>(samples_used_++);
  }

  std::uint32_t add_interval(double s0, double s1, std::uint32_t at0, std::uint32_t at1,
                             int depth) {
    if (intervals_used_ == intervals_.size()) intervals_.emplace_back();
    PathInterval& interval = intervals_[intervals_used_];
    interval.s0 = s0;
    interval.s1 = s1;
    interval.at0 = at0;
    interval.at1 = at1;
    interval.halves = none;
    interval.depth = depth;
    interval.bounds.assign(scene_.moving, {-1, -1});
    return static_cast<std::uint32_t>(intervals_used_++);
  }

  std::uint32_t halves(std::uint32_t i) {
    if (intervals_[i].halves == none) {
      const double s0 = intervals_[i].s0, s1 = intervals_[i].s1, middle = 0.5 * (s0 + s1);
      const std::uint32_t at0 = intervals_[i].at0, at1 = intervals_[i].at1;
      const int depth = intervals_[i].depth;
      const std::uint32_t at = add_sample(middle);
      const std::uint32_t first = add_interval(s0, middle, at0, at, depth + 1);
      add_interval(middle, s1, at, at1, depth + 1);
      intervals_[i].halves = first;
    }
    return intervals_[i].halves;
  }

  // The data of one pair on one interval.
  struct View {
    const LimbPair& pair;
    const PathInterval& interval;
    const Placement &a0, &b0, &a1, &b1;
    const HullTree &tree_a, &tree_b;
    double slack;      // margin, radii and rounding
    double curvature;  // of gaps
    double width;
    double speed;      // of both limbs together
    double needed;     // the share of the interval that lies before end_, rounded up; at most 1
    double share = 0;  // the largest share that a test has proven
    std::optional<RelativePlacement> start = {}, end = {};
  };

  View view(const LimbPair& pair, std::uint32_t i) {
    const PathInterval& interval = intervals_[i];
    return view(pair, i, samples_[interval.at0], samples_[interval.at1], interval.s1 - interval.s0,
                needed(interval));
  }
  // Returns the view of a part of the interval, from sample at0 to sample at1.
  View view(const LimbPair& pair, std::uint32_t i, PathSample& at0, PathSample& at1, double width,
            double needed) {
    const Limb &a = scene_.limbs[pair.a], &b = scene_.limbs[pair.b];
    const LimbBound of_a = bound(i, pair.a), of_b = bound(i, pair.b);
    return {pair,
            intervals_[i],
            motion_->route(at0, a.route),
            motion_->route(at0, b.route),
            motion_->route(at1, a.route),
            motion_->route(at1, b.route),
            model(a).tree,
            model(b).tree,
            pair.margin + 1.25 * (motion_->error(pair.a) + motion_->error(pair.b)),
            of_a.acceleration + of_b.acceleration,
            width,
            of_a.speed + of_b.speed,
            needed};
  }

  double needed(const PathInterval& interval) const {
    if (end_ >= interval.s1) return 1;
    return std::min((end_ - interval.s0) / (interval.s1 - interval.s0) * (1 + 0x1p-40), 1.0);
  }

  const Model& model(const Limb& limb) const {
    return scene_.mechanism.shapes[limb.shape].body.model();
  }

  static bool lasts(View& v, double gap0, double gap1) {
    if (!(gap0 > 0)) return false;
    // The difference of the times rounds; the factor of gap_lasts() covers it.
    const double share = gap_lasts(gap0, gap1, v.curvature, v.width);
    v.share = std::max(v.share, share);
    return share >= v.needed;
  }

  // Tries the line between the centres of the whole limbs.
  bool quick_proof(std::uint32_t i) {
    const LimbPair& pair = scene_.pairs[i];
    const PathInterval& whole = intervals_[0];
    const Limb &a = scene_.limbs[pair.a], &b = scene_.limbs[pair.b];
    const Vec3 d0 = centre(whole.at0, pair.a) - centre(whole.at0, pair.b);
    const double distance = d0.norm();
    if (!(distance > 0)) return false;
    const Vec3 n = d0 / distance;
    const double slack = (a.radius + b.radius + pair.margin +
                          1.25 * (motion_->error(pair.a) + motion_->error(pair.b))) *
                         (1 + 0x1p-50);
    const double gap0 = distance * (1 - 0x1p-50) - slack;
    if (!(gap0 > 0)) return false;
    const Vec3 d1 = centre(whole.at1, pair.a) - centre(whole.at1, pair.b);
    const double gap1 = n.dot(d1) - slack;
    const double curvature = bound(0, pair.a).acceleration + bound(0, pair.b).acceleration;
    if (!(gap_lasts(gap0, gap1, curvature, 1) >= needed(whole))) return false;
    ++checks_;
    record(i, whole, model(a).tree, 0, model(b).tree, 0, n);
    return true;
  }

  // Returns the gap of two nodes along n at one time, rounded down.
  static double gap_along(const View& v, const HullNode& a, const HullNode& b,
                          const Placement& at_a, const Placement& at_b, const Vec3& n) {
    const Vec3 to_a = -(at_a.rotation.transpose() * n), to_b = at_b.rotation.transpose() * n;
    const double low = n.dot(at_a.offset) - support(v.tree_a, a, to_a).value;
    const double high = n.dot(at_b.offset) + support(v.tree_b, b, to_b).value;
    return (low - high) - (a.margin + b.margin) - v.slack;
  }

  static bool proves(View& v, const HullNode& a, const HullNode& b, const Vec3& n) {
    const double gap0 = gap_along(v, a, b, v.a0, v.b0, n);
    if (!(gap0 > 0)) return false;
    return lasts(v, gap0, gap_along(v, a, b, v.a1, v.b1, n));
  }

  Outcome test(View& v, OpenNodes& nodes, BodyDistance& found) {
    const HullNode &a = v.tree_a.node(nodes.a), &b = v.tree_b.node(nodes.b);
    // The balls of the nodes.
    const Vec3 d0 = v.a0 * a.centre - v.b0 * b.centre;
    const double distance = d0.norm(), balls = (a.radius + b.radius + v.slack) * (1 + 0x1p-50);
    if (distance > balls) {
      const Vec3 n = d0 / distance;
      const Vec3 d1 = v.a1 * a.centre - v.b1 * b.centre;
      if (lasts(v, distance * (1 - 0x1p-50) - balls, n.dot(d1) - balls)) {
        nodes.normal = n;
        return Outcome::proven;
      }
    }
    if (!nodes.normal.isZero(0) && proves(v, a, b, nodes.normal)) return Outcome::proven;
    // The closest points at s0.
    const bool leaves = a.is_leaf() && b.is_leaf();
    if (!v.start) v.start = relative_placement(v.a0, v.tree_a.reach(), v.b0, v.tree_b.reach());
    const auto closest = [&](const RelativePlacement& at) {
      return leaves ? triangle_distance(polytope(v.tree_a, a), polytope(v.tree_b, b), at,
                                        nodes.witness)
                    : convex_distance(polytope(v.tree_a, a), polytope(v.tree_b, b), at,
                                      nodes.witness, HUGE_VAL, 1e-2);
    };
    const ConvexDistance start = closest(*v.start);
    nodes.witness = start.witness;
    if (leaves && start.hi + v.start->err + (v.slack - v.pair.margin) <=
                      v.pair.margin + scene_.options.threshold) {
      found.face_a = a.face;
      found.face_b = b.face;
      found.hi = start.hi - (v.pair.margin - v.pair.clear);
      found.point_a = v.a0 * start.point_a;
      found.point_b = v.a0 * start.point_b;
      return Outcome::contact;
    }
    if (!start.normal.isZero(0)) {
      const Vec3 n0 = (v.a0.rotation * start.normal).normalized();
      const double gap0 = gap_along(v, a, b, v.a0, v.b0, n0);
      if (gap0 > 0) {
        nodes.normal = n0;
        const double gap1 = gap_along(v, a, b, v.a1, v.b1, n0);
        if (lasts(v, gap0, gap1)) return Outcome::proven;
        // The closest points at s1, and the direction between both.
        if (!v.end) v.end = relative_placement(v.a1, v.tree_a.reach(), v.b1, v.tree_b.reach());
        const ConvexDistance end = closest(*v.end);
        if (leaves && end.hi <= v.pair.margin) return Outcome::follow;
        if (end.lo > v.pair.margin) {
          const Vec3 n1 = (v.a1.rotation * end.normal).normalized();
          for (const Vec3& n : {n1, Vec3((n0 + n1).stableNormalized())})
            if (proves(v, a, b, n)) {
              nodes.normal = n;
              return Outcome::proven;
            }
        }
        if (leaves) return Outcome::halve;
        return a.radius + b.radius > v.width * v.speed ? Outcome::later : Outcome::halve;
      }
    }
    return leaves ? Outcome::halve : Outcome::divide;
  }

  // Follows two triangles that are apart at the start of an interval to their contact, in steps of
  // their own: each goes as far as one direction proves them apart. Returns false if they do not
  // come to a contact, or not in few steps.
  bool follow(std::uint32_t index, std::uint32_t i, OpenNodes nodes, RobotCheck& check) {
    const double last = intervals_[i].s1;
    double s = intervals_[i].s0, ahead = last - s;
    for (int step = 0; step < 40 && s < std::min(last, end_); ++step) {
      const double to = std::min(s + ahead, last);
      motion_->begin(s, here_);
      motion_->begin(to, there_);
      View w = view(scene_.pairs[index], i, here_, there_, to - s, 1);
      ++checks_;
      BodyDistance found;
      const Outcome outcome = test(w, nodes, found);
      if (outcome == Outcome::contact) {
        stop(index, s, Verdict::contact, found, check);
        return true;
      }
      const double next = outcome == Outcome::proven ? to : time_at(s, to, w.share);
      if (outcome == Outcome::proven)
        ahead *= 2;
      else
        ahead = std::max(next - s, ahead / 8);
      s = next;
    }
    return s >= end_;
  }

  // Divides the larger node. The part that is closer at s0 is tested next: contacts are found
  // early.
  static void push_parts(const View& v, const OpenNodes& nodes, std::vector<OpenNodes>& open) {
    const HullNode &a = v.tree_a.node(nodes.a), &b = v.tree_b.node(nodes.b);
    const bool first = divides_first(a, b);
    std::array<OpenNodes, 2> parts;
    std::array<double, 2> gaps;
    for (const std::uint32_t k : {0u, 1u}) {
      parts[k] = {first ? a.child + k : nodes.a, first ? nodes.b : b.child + k, nodes.normal, {}};
      const HullNode &x = v.tree_a.node(parts[k].a), &y = v.tree_b.node(parts[k].b);
      gaps[k] = (v.a0 * x.centre - v.b0 * y.centre).norm() - x.radius - y.radius;
    }
    const std::size_t next = gaps[0] < gaps[1] ? 0 : 1;
    open.push_back(parts[1 - next]);
    open.push_back(parts[next]);
  }

  // Tests the open parts of a task. Returns false if the search of the pair has ended, with a
  // contact at the start of the interval or because the budget is spent. Calls `first` after the
  // first test.
  template <class First>
  bool test_open(std::uint32_t index, View& v, Task& task, RobotCheck& check, const First& first) {
    for (bool is_first = true; !task.open.empty(); is_first = false) {
      OpenNodes nodes = task.open.back();
      task.open.pop_back();
      ++checks_;
      if (is_spent()) {
        stop(index, v.interval.s0, Verdict::undecided, {}, check);
        return false;
      }
      BodyDistance found;
      nodes.outcome = test(v, nodes, found);
      if (is_first) first(nodes);
      if (nodes.outcome == Outcome::proven) {
        record(index, v.interval, v.tree_a, nodes.a, v.tree_b, nodes.b, nodes.normal);
      } else if (nodes.outcome == Outcome::contact) {
        stop(index, v.interval.s0, Verdict::contact, found, check);
        return false;
      } else if (nodes.outcome == Outcome::divide) {
        push_parts(v, nodes, task.open);
      } else {
        task.later.push_back(nodes);
      }
    }
    return true;
  }

  // Searches for a contact at the start of the piece.
  OpenPair search_start(std::uint32_t index, RobotCheck& check) {
    OpenPair pair{index, {0, {}, {}}, false};
    View v = view(scene_.pairs[index], 0);
    Vec3& warm = warm_.try_emplace(index, Vec3::Zero()).first->second;
    pair.task.open.push_back({0, 0, warm, {}});
    test_open(index, v, pair.task, check, [&](const OpenNodes& whole) {
      warm = whole.normal;
      pair.may_contain = whole.outcome != Outcome::proven && hulls_meet_at_start(v, whole.normal);
    });
    return pair;
  }

  // Searches [0, end_) of the piece. If a solid does not contain the other shape at the start of
  // the path, it cannot contain it later without a contact of the surfaces; so only the start is
  // tested.
  void search_pair(OpenPair& pair, RobotCheck& check) {
    search_surfaces(pair, check);
    if (pair.may_contain && end_ > 0) stop_if_contained(pair.index, check);
  }

  void search_surfaces(OpenPair& open, RobotCheck& check) {
    const LimbPair& pair = scene_.pairs[open.index];
    std::vector<Task> tasks;
    tasks.push_back(std::move(open.task));
    while (!tasks.empty()) {
      Task task = std::move(tasks.back());
      tasks.pop_back();
      if (intervals_[task.interval].s0 >= end_) continue;
      std::vector<OpenNodes> unproven;
      // halves() may move the intervals in memory, so the view must end before.
      {
        View v = view(pair, task.interval);
        for (;;) {
          if (!test_open(open.index, v, task, check, [](const OpenNodes&) {})) return;
          if (task.later.empty()) break;
          const OpenNodes nodes = task.later.back();
          task.later.pop_back();
          if (nodes.outcome == Outcome::later) {
            push_parts(v, nodes, task.open);
          } else if (nodes.outcome == Outcome::follow &&
                     follow(open.index, task.interval, nodes, check)) {
            v.needed = needed(v.interval);
          } else if (v.interval.depth == most_halvings) {
            stop(open.index, v.interval.s0, Verdict::undecided, {}, check);
            return;
          } else {
            unproven.push_back(nodes);
          }
        }
      }
      if (unproven.empty()) continue;
      const std::uint32_t half = halves(task.interval);
      tasks.push_back({half + 1, unproven, {}});
      tasks.push_back({half, std::move(unproven), {}});
    }
  }

  // Returns whether one shape is solid and n does not separate the hulls at the start of the path.
  bool hulls_meet_at_start(const View& v, const Vec3& n) const {
    return piece_ == 0 && v.pair.solid &&
           (n.isZero(0) || !(gap_along(v, v.tree_a.node(0), v.tree_b.node(0), v.a0, v.b0, n) > 0));
  }

  void stop_if_contained(std::uint32_t index, RobotCheck& check) {
    const LimbPair& pair = scene_.pairs[index];
    const Limb &a = scene_.limbs[pair.a], &b = scene_.limbs[pair.b];
    const Placement &at_a = motion_->route(samples_[0], a.route),
                    &at_b = motion_->route(samples_[0], b.route);
    const Model &first = model(a), &second = model(b);
    const double error =
        2 * (motion_->error(pair.a) + motion_->error(pair.b)) +
        relative_placement(at_a, first.tree.reach(), at_b, second.tree.reach()).err;
    const Containment inside = containment(first, at_a, second, at_b, error);
    if (inside.verdict == Verdict::separated) return;
    BodyDistance found;
    found.hi = 0;
    found.point_a = found.point_b = inside.point;
    stop(index, 0, inside.verdict, found, check);
  }

  // Ends the free part at s. Of several pairs with equal s the first in the order of search stays.
  void stop(std::uint32_t index, double s, Verdict verdict, const BodyDistance& found,
            RobotCheck& check) {
    if (!(s < end_)) return;
    end_ = s;
    check.verdict = verdict;
    check.s = s;
    const LimbPair& pair = scene_.pairs[index];
    const FrameShape& a = scene_.mechanism.shapes[scene_.limbs[pair.a].shape];
    const FrameShape& b = scene_.mechanism.shapes[scene_.limbs[pair.b].shape];
    check.a = scene_.mechanism.items[a.item];
    check.b = scene_.mechanism.items[b.item];
    check.shape_a = a.number;
    check.shape_b = b.number;
    if (verdict != Verdict::contact) return;
    check.face_a = found.face_a;
    check.face_b = found.face_b;
    check.distance = found.hi;
    // Moves the points from the coordinates of the base to those of the world.
    const Placement base = motion_->frame_at(pair.base, s);
    check.point_a = base * found.point_a;
    check.point_b = base * found.point_b;
    if (a.body.radius() + b.body.radius() > 0)
      round_points(a.body.radius(), b.body.radius(), check.point_a, check.point_b);
  }

  void record(std::uint32_t pair, const PathInterval& interval, const HullTree& a, std::uint32_t i,
              const HullTree& b, std::uint32_t j, const Vec3& n) {
    if (scene_.options.proof)
      proof_.push_back({pair, piece_, interval.s0, interval.s1, first_face(a, i), last_face(a, i),
                        first_face(b, j), last_face(b, j), n});
  }

  static std::uint32_t first_face(const HullTree& tree, std::uint32_t i) {
    const HullNode& node = tree.node(i);
    if (!node.is_leaf()) return HullTree::begin(node);
    const auto order = tree.order();
    return static_cast<std::uint32_t>(std::find(order.begin(), order.end(), node.face) -
                                      order.begin());
  }
  static std::uint32_t last_face(const HullTree& tree, std::uint32_t i) {
    return first_face(tree, i) + tree.node(i).faces;
  }

  bool is_spent() const {
    return (scene_.options.max_checks > 0 && checks_ > scene_.options.max_checks) ||
           (stop_ && stop_->load(std::memory_order_relaxed));
  }

  const PathChecker::Scene& scene_;
  NearPairs near_;
  const std::atomic<bool>* stop_ = nullptr;       // of the current run
  std::unordered_map<std::uint32_t, Vec3> warm_;  // by pair: the direction of the last search
  std::vector<std::pair<double, std::uint32_t>> order_;
  std::optional<LinkMotion> motion_;
  std::uint32_t piece_ = 0;
  std::vector<PathSample> samples_;
  PathSample here_, there_;  // of follow()
  std::vector<PathInterval> intervals_;
  std::size_t samples_used_ = 0, intervals_used_ = 0;
  double end_ = HUGE_VAL;  // the first contact or undecided time of the piece
  std::uint64_t checks_ = 0;
  std::vector<ProofInterval> proof_;
};

PathSearch::PathSearch(const PathChecker::Scene& scene) : state_(std::make_unique<State>(scene)) {}
PathSearch::~PathSearch() = default;

RobotCheck PathSearch::run(const Trajectory& path, const std::atomic<bool>* stop) {
  const FloatEnvironment environment;
  return state_->run(path, stop);
}

}  // namespace graze::rigid
