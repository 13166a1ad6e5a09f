#include "graze/sim/walker.h"

#include <algorithm>
#include <cmath>

#include "graze/core/numeric/float_environment.h"
#include "graze/polyhedron/model/exact_sign.h"

namespace graze::sim::walker {

Report step(const Model& model, State& state, polyhedron::Scratch& scratch, const Options& options,
            const Run& run) {
  Report report;
  if (!(std::isfinite(options.seconds) && options.seconds > 0)) return report;
  Vec3 velocity = state.velocity;
  if (state.on_ground)
    velocity = options.wish + Vec3(0, 0, options.jump ? model.jump_speed : 0);
  else
    velocity[2] -= model.gravity * options.seconds;
  polyhedron::SlideOptions slide;
  slide.step_height = model.step_height;
  slide.thickness = model.thickness;
  scratch.stop_on(run.stop);
  polyhedron::SlideResult result =
      slide_move(model.world, model.hull, state.pose, options.seconds * velocity, scratch, slide);
  scratch.stop_on(nullptr);
  report.verdict = result.verdict;
  if (result.verdict == Verdict::invalid || result.verdict == Verdict::undecided) return report;
  const State before = state;
  state.pose = result.end;
  state.velocity = result.way / options.seconds;
  state.on_ground = result.on_ground && !(state.velocity[2] > model.jump_speed / 2);
  if (options.monitor) options.monitor(before, state);
  report.stepped = result.stepped;
  report.stops = result.stops;
  report.contacts = std::move(result.contacts);
  return report;
}

Report step(const Model& model, State& state, const Options& options, const Run& run) {
  polyhedron::Scratch scratch;
  return step(model, state, scratch, options, run);
}

// Surfaces that share no point leave the hull wholly inside or wholly outside each solid, so one
// point of the hull decides.
bool is_in_solid(const Model& model, const Pose& pose, polyhedron::Scratch* scratch) {
  const FloatEnvironment environment;
  polyhedron::Scratch own;
  if (position_test(model.world, model.hull, pose, scratch ? *scratch : own).touches()) return true;
  const Vec3& x = pose.translation;
  return std::any_of(model.world.begin(), model.world.end(), [&](const auto& obstacle) {
    const polyhedron::Model& solid = obstacle.model;
    if (!overlap({x, x}, solid.box)) return false;
    return std::all_of(solid.facets.begin(), solid.facets.end(), [&](const auto& facet) {
      return polyhedron::volume_sign(solid.vertices[facet.plane[0]], solid.vertices[facet.plane[1]],
                                     solid.vertices[facet.plane[2]], x) < 0;
    });
  });
}

}  // namespace graze::sim::walker
