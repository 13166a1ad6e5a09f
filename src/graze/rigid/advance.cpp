#include "graze/rigid/advance.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "graze/core/float_environment.h"
#include "graze/rigid/motion_bound.h"
#include "graze/rigid/triangle_distance.h"

namespace graze {
namespace {

struct Body {
  const RigidModel& model;
  const Motion& motion;
  MotionBound bound;

  Body(const RigidModel& m, const Motion& path)
      : model(m), motion(path), bound(path, 2 * m.tree.reach) {}
  const HullTree& tree() const { return model.tree; }
  const HullNode& node(std::uint32_t i) const { return model.tree.nodes[i]; }
};

struct Frame {
  double t = -1;
  Placement a, b;
};

// A pair of nodes that is known to be apart until t.
struct Pair {
  std::uint32_t a, b;
  double t;
  Vec3 n;
};

double lowest(const Body& body, const HullNode& node, const Placement& placement, const Vec3& n) {
  const Vec3 turned = -(placement.rotation.transpose() * n);
  return n.dot(placement.offset) - support(body.tree(), node, turned).value - node.margin;
}

class Search {
 public:
  Search(const RigidModel& a, const Motion& motion_a, const RigidModel& b, const Motion& motion_b,
         const AdvanceOptions& options)
      : a_(a, motion_a), b_(b, motion_b), max_checks_(options.max_checks), t_max_(options.t_max) {
    error_ = 1.25 * (a_.bound.error + b_.bound.error);
    slack_ = (error_ + options.margin) * (1 + 0x1p-51);
    const double wanted = options.exact_time      ? 0
                          : options.threshold > 0 ? options.threshold
                                                  : 1e-3 * std::max(a.size, b.size);
    threshold_ = options.margin + std::max(wanted, 4 * error_);
    set_best(options.t_max);
    result_.impact = Impact::separated();
  }

  RigidImpact run() {
    if (!(slack_ < 0x1p400)) {
      result_.impact = Impact::undecided(0, t_max_);
      return result_;
    }
    consider({0, 0, 0, Vec3::Zero()});
    flush();
    while (!stack_.empty()) {
      const Pair pair = stack_.back();
      stack_.pop_back();
      if (pair.t >= best_.t) continue;
      if (checks_ >= max_checks_) {
        double safe = pair.t;
        for (const Pair& rest : stack_) safe = std::min(safe, rest.t);
        result_.impact = Impact::undecided(safe, t_max_, checks_);
        return result_;
      }
      visit(pair);
    }
    result_.impact.checks = checks_;
    return result_;
  }

 private:
  static constexpr std::size_t ticks = 64;

  Frame frame_at(double t) const {
    return {t, placement_at(a_.motion, t), placement_at(b_.motion, t)};
  }
  void set_best(double t) { best_ = frame_at(t); }
  const Frame& tick(double t) {
    const auto i = std::min(ticks - 1, static_cast<std::size_t>(t * double(ticks)));
    Frame& frame = ticks_[i];
    if (frame.t < 0) frame = frame_at(double(i) / double(ticks));
    return frame;
  }

  double gap(const HullNode& a, const HullNode& b, const Frame& frame, const Vec3& n) const {
    return lowest(a_, a, frame.a, n) + lowest(b_, b, frame.b, -n) - slack_;
  }

  void visit(const Pair& pair) {
    const HullNode &a = a_.node(pair.a), &b = b_.node(pair.b);
    if (a.is_leaf() && b.is_leaf()) return advance_triangles(pair);
    if (b.is_leaf() || (!a.is_leaf() && a.radius >= b.radius)) {
      consider({a.child, pair.b, pair.t, pair.n});
      consider({a.child + 1, pair.b, pair.t, pair.n});
    } else {
      consider({pair.a, b.child, pair.t, pair.n});
      consider({pair.a, b.child + 1, pair.t, pair.n});
    }
    flush();
  }

  // The surviving children, the earlier on top.
  void flush() {
    if (found_ == 2 && fresh_[0].t < fresh_[1].t) std::swap(fresh_[0], fresh_[1]);
    for (std::size_t i = 0; i < found_; ++i) stack_.push_back(fresh_[i]);
    found_ = 0;
  }

  void consider(Pair pair) {
    ++checks_;
    ++result_.node_pairs;
    const HullNode &a = a_.node(pair.a), &b = b_.node(pair.b);
    const Frame &from = tick(pair.t), &to = best_;
    const double duration = to.t - from.t;
    const Vec3 d0 = from.a * a.centre - from.b * b.centre, d1 = to.a * a.centre - to.b * b.centre;
    const Vec3 way = d1 - d0;
    const double way_sq = way.squaredNorm();
    const double share = way_sq > 0 ? std::clamp(-d0.dot(way) / way_sq, 0.0, 1.0) : 0;
    const Vec3 d = d0 + share * way;
    const double distance = d.norm();
    const double radii = a.radius + b.radius;
    const double rho_a = a_.bound.axis_distance(a.centre, 0),
                 rho_b = b_.bound.axis_distance(b.centre, 0);
    double until = 0;
    if (distance > 0) {
      const Vec3 n = d / distance;
      const double k = a_.bound.curvature(rho_a) + b_.bound.curvature(rho_b);
      until = gap_lasts(n.dot(d0) - radii - slack_, n.dot(d1) - radii - slack_, k, duration);
      if (until >= 1) return;
      const double kh =
          a_.bound.curvature(n, rho_a + a.radius) + b_.bound.curvature(n, rho_b + b.radius);
      const double h = gap_lasts(gap(a, b, from, n), gap(a, b, to, n), kh, duration);
      if (h >= 1) return;
      if (h > until) until = h;
      const Vec3 old = pair.n;
      pair.n = n;
      if (!old.isZero(0)) {
        const double kp =
            a_.bound.curvature(old, rho_a + a.radius) + b_.bound.curvature(old, rho_b + b.radius);
        const double hp = gap_lasts(gap(a, b, from, old), gap(a, b, to, old), kp, duration);
        if (hp >= 1) return;
        if (hp > until) until = hp, pair.n = old;
      }
    }
    pair.t = std::max(pair.t, time_at(from.t, to.t, until));
    if (pair.t < best_.t) fresh_[found_++] = pair;
  }

  Triangle placed(const Body& body, std::uint32_t node, const Placement& placement) const {
    const Face& face = body.model.faces[body.node(node).face];
    const auto& v = body.model.vertices;
    return {placement * v[face[0]], placement * v[face[1]], placement * v[face[2]]};
  }

  // From closest point to closest point; where these are so close that rounding spoils their
  // difference, the best of the direction of the last step, the normals, and across two edges.
  Vec3 separating_direction(const HullNode& a, const HullNode& b, const Frame& frame,
                            const Triangle& ta, const Triangle& tb, const TriangleDistance& found,
                            const Vec3& last) const {
    Vec3 best = (found.a - found.b) / found.distance;
    double best_gap = gap(a, b, frame, best);
    if (best_gap >= 0.75 * found.distance - slack_) return best;
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
    offer((ta[1] - ta[0]).cross(ta[2] - ta[0]));
    offer((tb[1] - tb[0]).cross(tb[2] - tb[0]));
    return best;
  }

  void advance_triangles(const Pair& pair) {
    ++result_.triangle_pairs;
    const HullNode &a = a_.node(pair.a), &b = b_.node(pair.b);
    const double rho_a = a_.bound.axis_distance(a.centre, a.radius);
    const double rho_b = b_.bound.axis_distance(b.centre, b.radius);
    double t = pair.t;
    Vec3 n = pair.n;
    for (std::uint32_t step = 0;; ++step) {
      ++checks_;
      const Frame frame = frame_at(t);
      const Triangle ta = placed(a_, pair.a, frame.a), tb = placed(b_, pair.b, frame.b);
      const TriangleDistance found = triangle_distance(ta, tb);
      const double upper = found.distance * (1 + 0x1p-50) + error_;
      if (upper <= threshold_) return record(Verdict::contact, pair, t, found, step);
      n = separating_direction(a, b, frame, ta, tb, found, n);
      const double s0 = gap(a, b, frame, n);
      const double curvature = a_.bound.curvature(n, rho_a) + b_.bound.curvature(n, rho_b);
      double reached = t;
      Frame end = best_;
      for (int attempt = 0; attempt < 4; ++attempt) {
        const double share = gap_lasts(s0, gap(a, b, end, n), curvature, end.t - t);
        reached = std::max(reached, time_at(t, end.t, share));
        if (share >= 1) break;
        const double next = t + 1.3 * (reached - t);
        if (!(next < end.t) || !(next > t)) break;
        end = frame_at(next);
      }
      if (reached >= best_.t) return;
      if (reached <= t || checks_ >= max_checks_)
        return record(Verdict::undecided, pair, t, found, step);
      t = reached;
    }
  }

  // Where the closest points are one: the normal of the first triangle that has one, else from
  // centre to centre, else any.
  Vec3 contact_normal(const Pair& pair) const {
    const Triangle a = placed(a_, pair.a, best_.a), b = placed(b_, pair.b, best_.b);
    const Vec3 across = a[0] + a[1] + a[2] - b[0] - b[1] - b[2];
    for (const Vec3& n : {Vec3((b[1] - b[0]).cross(b[2] - b[0])),
                          Vec3((a[1] - a[0]).cross(a[2] - a[0])), across, Vec3(0, 0, 1)})
      if (n.norm() > 0) return (n.dot(across) < 0 ? -n : n).normalized();
    return across;
  }

  void record(Verdict verdict, const Pair& pair, double t, const TriangleDistance& found,
              std::uint32_t steps) {
    set_best(t);
    result_.impact =
        verdict == Verdict::contact ? Impact::contact(t, t_max_) : Impact::undecided(t, t_max_);
    if (found.distance > 0)
      result_.impact.normal = (found.a - found.b) / found.distance;
    else
      result_.impact.normal = contact_normal(pair);
    result_.face_a = a_.node(pair.a).face;
    result_.face_b = b_.node(pair.b).face;
    result_.point_a = found.a;
    result_.point_b = found.b;
    result_.distance = found.distance;
    result_.iterations = steps;
  }

  Body a_, b_;
  std::uint32_t max_checks_, checks_ = 0;
  double t_max_, error_ = 0, slack_ = 0, threshold_ = 0;
  Frame best_;
  std::array<Frame, ticks> ticks_;
  std::vector<Pair> stack_;
  std::array<Pair, 2> fresh_;
  std::size_t found_ = 0;
  RigidImpact result_;
};

}  // namespace

RigidImpact advance(const RigidModel& a, const Motion& motion_a, const RigidModel& b,
                    const Motion& motion_b, const AdvanceOptions& options) {
  const FloatEnvironment environment;
  RigidImpact result;
  result.impact = Impact::invalid();
  if (!a.valid() || !b.valid() || !motion_a.is_finite() || !motion_b.is_finite() ||
      !(options.t_max > 0 && options.t_max <= 1) || !(options.threshold >= 0) ||
      !(options.margin >= 0) || options.max_checks == 0)
    return result;
  return Search(a, motion_a, b, motion_b, options).run();
}

}  // namespace graze
