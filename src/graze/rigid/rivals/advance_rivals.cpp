#include "graze/rigid/rivals/advance_rivals.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "graze/core/numeric/float_environment.h"
#include "graze/rigid/distance/model_distance.h"
#include "graze/rigid/motion/motion_bound.h"

namespace graze::rigid {
namespace {

struct MovingModel {
  const Model& model;
  const Motion& motion;
  MotionBound bound;

  MovingModel(const Model& m, const Motion& path)
      : model(m), motion(path), bound(path, 2 * m.tree.reach()) {}
  double axis_distance(std::uint32_t node) const {
    const HullNode& at = model.tree.node(node);
    return bound.axis_distance(at.centre, at.radius);
  }
};

struct Query {
  MovingModel a, b;
  const AdvanceOptions& options;
  double error, threshold;
  BodyImpact result;

  Query(const Model& model_a, const Motion& motion_a, const Model& model_b, const Motion& motion_b,
        const AdvanceOptions& chosen)
      : a(model_a, motion_a), b(model_b, motion_b), options(chosen) {
    error = 1.25 * (a.bound.error + b.bound.error) + 0x1p-50 * options.margin;
    threshold =
        options.margin + contact_threshold(std::max(model_a.size, model_b.size), options, error);
    if (!advance_accepts(model_a, motion_a, model_b, motion_b, options))
      result = BodyImpact::invalid();
    else if (!(error < 0x1p400))
      result.impact = Impact::undecided(0, options.t_max);
    if (result.impact.verdict != Verdict::invalid) result.threshold = threshold - options.margin;
  }
  bool answered() const { return result.impact.verdict != Verdict::separated; }

  // A lower bound on the distance beyond the margin, and whether it is a contact.
  struct Look {
    double lo;
    bool contact;
  };
  Look look(double t, DistanceFront* front, double tol) {
    ++result.impact.checks;
    ++result.iterations;
    const BodyDistance found = distance(a.model, placement_at(a.motion, t), b.model,
                                        placement_at(b.motion, t), {.tol = tol}, front);
    if (found.hi + error > threshold) return {found.lo - error - options.margin, false};
    const std::uint32_t checks = result.impact.checks;
    result.impact = Impact::contact(t, options.t_max, checks);
    result.impact.normal = found.normal;
    result.face_a = found.face_a;
    result.face_b = found.face_b;
    result.point_a = found.point_a;
    result.point_b = found.point_b;
    result.distance = (found.point_a - found.point_b).norm();
    return {0, true};
  }

  // Bounds the speed at which points of two nodes approach each other along n.
  double approach(const Vec3& n, double rho_a, double rho_b) const {
    const Vec3 relative = a.motion.velocity - b.motion.velocity;
    return (std::abs(n.dot(relative)) + 0x1p-49 * (a.bound.speed + b.bound.speed)) * (1 + 0x1p-40) +
           a.bound.directed(n, rho_a) + b.bound.directed(n, rho_b);
  }

  // Returns the time after t at which a gap can be closed at this speed, rounded down; at most 2.
  static double after(double t, double gap, double speed) {
    if (!(gap > 0)) return t;
    const double step = gap / speed * (1 - 0x1p-40);
    return step < 2 ? std::max(t, std::nextafter(t + step, -1.0)) : 2;
  }

  BodyImpact undecided(double t) {
    const std::uint32_t checks = result.impact.checks;
    result.impact = Impact::undecided(t, options.t_max, checks);
    return result;
  }

  // Computes a distance, advances to the time advanced(t), and repeats.
  template <class Advanced>
  BodyImpact step_by_step(DistanceFront* front, double tol, const Advanced& advanced) {
    if (answered()) return result;
    for (double t = 0;;) {
      const Look at = look(t, front, tol);
      if (at.contact) return result;
      const double next = advanced(t);
      if (next > options.t_max) return result;
      if (next <= t || is_spent(result.impact.checks, options.max_checks)) return undecided(t);
      t = next;
    }
  }
};

}  // namespace

BodyImpact advance_naive(const Model& a, const Motion& motion_a, const Model& b,
                         const Motion& motion_b, const AdvanceOptions& options) {
  const FloatEnvironment environment;
  Query query(a, motion_a, b, motion_b, options);
  return query.step_by_step(nullptr, 0, [&](double t) {
    const Placement at_a = placement_at(motion_a, t), at_b = placement_at(motion_b, t);
    const RelativePlacement seen = relative_placement(at_a, a.tree.reach(), at_b, b.tree.reach());
    double next = 2;
    for (std::uint32_t i = 0; i < a.tree.size(); ++i) {
      if (!a.tree.node(i).is_leaf()) continue;
      for (std::uint32_t j = 0; j < b.tree.size(); ++j) {
        if (!b.tree.node(j).is_leaf()) continue;
        const ConvexDistance found = triangle_distance(polytope(a.tree, a.tree.node(i)),
                                                       polytope(b.tree, b.tree.node(j)), seen);
        const double gap = found.lo - seen.err - query.error - options.margin;
        const Vec3 n = at_a.rotation * found.normal;
        next = std::min(next, Query::after(t, gap,
                                           query.approach(n, query.a.axis_distance(i),
                                                          query.b.axis_distance(j))));
      }
    }
    return next;
  });
}

BodyImpact advance_hierarchical(const Model& a, const Motion& motion_a, const Model& b,
                                const Motion& motion_b, const AdvanceOptions& options) {
  const FloatEnvironment environment;
  Query query(a, motion_a, b, motion_b, options);
  DistanceFront front;
  return query.step_by_step(&front, 0.1, [&](double t) {
    const Placement at_a = placement_at(motion_a, t), at_b = placement_at(motion_b, t);
    double next = 2;
    for (const FrontPair& pair : front.pairs) {
      // If the balls prove the gap, its direction is the line of their centres.
      Vec3 n = at_a.rotation * pair.normal;
      if (pair.normal.isZero(0))
        n = (at_a * a.tree.node(pair.a).centre - at_b * b.tree.node(pair.b).centre)
                .stableNormalized();
      const double speed =
          query.approach(n, query.a.axis_distance(pair.a), query.b.axis_distance(pair.b));
      next = std::min(next, Query::after(t, pair.lo - query.error - options.margin, speed));
    }
    return next;
  });
}

BodyImpact advance_undirected(const Model& a, const Motion& motion_a, const Model& b,
                              const Motion& motion_b, const AdvanceOptions& options) {
  const FloatEnvironment environment;
  Query query(a, motion_a, b, motion_b, options);
  if (query.answered()) return query.result;
  const double speed = (motion_a.velocity - motion_b.velocity).norm() * (1 + 0x1p-40) +
                       query.a.bound.turn * query.a.axis_distance(0) * (1 + 0x1p-40) +
                       query.b.bound.turn * query.b.axis_distance(0) * (1 + 0x1p-40);
  // The ends of the remaining intervals, the earliest last, with lower bounds on the distances; 0
  // at a contact, after which nothing is tested.
  struct End {
    double t, lo;
  };
  const auto end_at = [&](double t) {
    return End{t, std::max(query.look(t, nullptr, 0.1).lo, 0.0)};
  };
  End begin = end_at(0);
  if (query.answered()) return query.result;
  std::vector<End> ends = {end_at(options.t_max)};
  while (!ends.empty()) {
    const End end = ends.back();
    if (begin.lo > 0 && begin.lo + end.lo > (end.t - begin.t) * speed * (1 + 0x1p-40)) {
      begin = end;
      ends.pop_back();
      continue;
    }
    const double middle = begin.t + (end.t - begin.t) / 2;
    if (middle <= begin.t || middle >= end.t ||
        is_spent(query.result.impact.checks, options.max_checks))
      return query.undecided(begin.t);
    const double known = query.result.impact.toi;
    const End found = end_at(middle);
    if (query.result.impact.toi != known) ends.clear();
    ends.push_back(found);
  }
  return query.result;
}

}  // namespace graze::rigid
