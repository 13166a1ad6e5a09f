#include "graze/sim/rigid.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "graze/core/numeric/float_environment.h"
#include "graze/sim/inner_run.h"
#include "graze/sim/rigid/body_pairs.h"
#include "graze/sim/rigid/expel_step.h"
#include "graze/sim/rigid/penetration.h"
#include "graze/sim/rigid/rigid_shape.h"
#include "graze/sim/rigid/rigid_step.h"

namespace graze::sim::rigid {
namespace {

bool is_valid(const Model& model, const State& state) {
  const std::size_t count = state.bodies.size();
  const auto at_least_0 = [](double x) { return std::isfinite(x) && x >= 0; };
  return model.gravity.allFinite() && at_least_0(model.restitution) && model.restitution <= 1 &&
         at_least_0(model.friction) && at_least_0(model.rolling_friction) &&
         at_least_0(model.joint_damping) && std::isfinite(model.gap) && model.gap > 0 &&
         std::all_of(model.shapes.begin(), model.shapes.end(),
                     [](const Shape& shape) { return shape.ok(); }) &&
         std::all_of(model.joints.begin(), model.joints.end(),
                     [&](const BallJoint& joint) {
                       return joint.a < count && joint.b < count && joint.a != joint.b &&
                              joint.in_a.allFinite() && joint.in_b.allFinite();
                     }) &&
         std::all_of(state.bodies.begin(), state.bodies.end(),
                     [&](const Body& body) {
                       return body.shape < model.shapes.size() && body.pose.is_finite() &&
                              body.pose.rotation.squaredNorm() > 0 && body.velocity.allFinite() &&
                              body.spin.allFinite() && at_least_0(body.calm);
                     }) &&
         std::all_of(state.contacts.begin(), state.contacts.end(), [&](const Contact& contact) {
           return contact.a < contact.b && contact.b < count && contact.impulse.allFinite();
         });
}

bool takes_expel(const Model& model) {
  return model.joints.empty() &&
         std::all_of(model.shapes.begin(), model.shapes.end(),
                     [](const Shape& shape) { return shape.data().surface().ok(); });
}

// Returns the report of a step that run.stop ended.
Report stopped_report() {
  Report report;
  report.verdict = Verdict::undecided;
  return report;
}

// Returns how often a step may be divided: 3 times, and more if it is longer than the time of a
// fall by the gap.
int most_halvings(const Model& model, double seconds) {
  const double falls = seconds * std::sqrt(model.gravity.norm() / (2 * model.gap));
  return falls > 1 ? 3 + std::min(7, std::ilogb(falls)) : 3;
}

// Advances the state; divides the step into halves, at most `halvings` times, if jointed bodies
// turn too far or a joint comes out open. If the run is stopped, the verdict of the report is
// `undecided` and the state is to be discarded.
void advance_in_parts(const Model& model, State& state, double seconds, int halvings,
                      const Options& options, const Run& run, Report& report) {
  const bool may_divide = halvings > 0 && !model.joints.empty();
  const State before = may_divide || options.monitor ? state : State{};
  const double open = std::max(joint_error(model, state), model.gap);
  Report whole;
  if (is_stopped(run)) whole.verdict = Verdict::undecided;
  if (whole.verdict == Verdict::separated &&
      advance_once(model, state, seconds, may_divide, whole, run) &&
      !(may_divide && joint_error(model, state) > open)) {
    report.queries += whole.queries;
    report.impacts += whole.impacts;
    report.stopped += whole.stopped;
    if (options.monitor) options.monitor(before, state);
    return;
  }
  if (whole.verdict == Verdict::undecided) {
    report.verdict = Verdict::undecided;
    return;
  }
  state = before;
  for (int half = 0; half < 2 && report.verdict == Verdict::separated; ++half)
    advance_in_parts(model, state, seconds / 2, halvings - 1, options, run, report);
}

void expel(const Model& model, State& state, const Options& options, const Run& run,
           Report& report) {
  const State before = options.monitor ? state : State{};
  expel_once(model, state, options.seconds, report, run);
  if (options.monitor && report.verdict == Verdict::separated) options.monitor(before, state);
}

}  // namespace

Report step(const Model& model, State& state, const Options& options, const Run& run) {
  Report report;
  const FloatEnvironment environment;
  if (!(std::isfinite(options.seconds) && options.seconds > 0) || !is_valid(model, state) ||
      (options.mover == Mover::expel && !takes_expel(model))) {
    report.verdict = Verdict::invalid;
    return report;
  }
  if (is_stopped(run)) return stopped_report();
  State start = run.stop ? state : State{};
  if (options.mover == Mover::expel)
    expel(model, state, options, run, report);
  else
    advance_in_parts(model, state, options.seconds, most_halvings(model, options.seconds), options,
                     run, report);
  if (report.verdict != Verdict::undecided) return report;
  state = std::move(start);
  return stopped_report();
}

double kinetic_energy(const Model& model, const State& state) {
  double sum = 0;
  for (const Body& body : state.bodies) {
    if (body.is_static) continue;
    const ShapeData& shape = model.shapes[body.shape].data();
    const Vec3 spin = body.pose.rotation.normalized().conjugate() * body.spin;
    sum += shape.mass * body.velocity.squaredNorm() + spin.dot(shape.inertia * spin);
  }
  return sum / 2;
}

double potential_energy(const Model& model, const State& state) {
  double sum = 0;
  for (const Body& body : state.bodies)
    if (!body.is_static)
      sum -= model.shapes[body.shape].mass() * model.gravity.dot(body.pose.translation);
  return sum;
}

double joint_error(const Model& model, const State& state) {
  double worst = 0;
  for (const BallJoint& joint : model.joints)
    worst = std::max(
        worst,
        (state.bodies[joint.a].pose * joint.in_a - state.bodies[joint.b].pose * joint.in_b).norm());
  return worst;
}

Penetration find_penetration(const Model& model, const State& state) {
  Penetration found;
  if (!is_valid(model, state)) {
    found.verdict = Verdict::invalid;
    return found;
  }
  const FloatEnvironment environment;
  const auto shape = [&](const Body& body) -> const ShapeData& {
    return model.shapes[body.shape].data();
  };
  std::vector<Aabb> boxes;
  for (const Body& body : state.bodies)
    boxes.push_back(placed_box(shape(body), graze::rigid::resting(body.pose)));
  for (const auto& [i, j] : overlapping_pairs(boxes)) {
    const Body &a = state.bodies[i], &b = state.bodies[j];
    if (a.is_static && b.is_static) continue;
    if (shape(a).is_particle() && shape(b).is_particle()) continue;
    if (const auto faces = find_crossing(shape(a).model, a.pose, shape(b).model, b.pose))
      return {Verdict::contact, i, j, faces->a, faces->b};
  }
  return found;
}

}  // namespace graze::sim::rigid
