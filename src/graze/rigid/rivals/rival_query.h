#pragma once

#include <algorithm>
#include <cmath>

#include "graze/rigid/model_advance.h"
#include "graze/rigid/motion/motion_bound.h"

namespace graze::rigid {

// A model and its motion, with bounds on the latter.
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

// The arguments and the result of an advancement step by step.
struct RivalQuery {
  MovingModel a, b;
  const StoppableOptions& options;
  double error, threshold;
  BodyImpact result;

  RivalQuery(const Model& model_a, const Motion& motion_a, const Model& model_b,
             const Motion& motion_b, const StoppableOptions& chosen)
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

  // Bounds the speed at which points of two nodes approach each other along n.
  double approach(const Vec3& n, double rho_a, double rho_b) const {
    const Vec3 relative = a.motion.velocity - b.motion.velocity;
    return (std::abs(n.dot(relative)) + 0x1p-49 * (a.bound.speed + b.bound.speed)) * (1 + 0x1p-40) +
           a.bound.directed(n, rho_a) + b.bound.directed(n, rho_b);
  }

  // Returns the earliest time after t at which a gap can close at this speed, rounded down; at most
  // 2.
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
};

}  // namespace graze::rigid
