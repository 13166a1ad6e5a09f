#include "graze/sim/walker/walker.h"

#include <algorithm>

#include "graze/core/float_environment.h"
#include "graze/polyhedron/exact_sign.h"

namespace graze {

using namespace polyhedron;

SlideResult walk(std::span<const Obstacle> world, const BrushModel& hull, Walker& walker,
                 const Vec3& wish, bool jumps, double seconds, Scratch& scratch,
                 const WalkOptions& options) {
  if (walker.on_ground)
    walker.velocity = wish + Vec3(0, 0, jumps ? options.jump_speed : 0);
  else
    walker.velocity[2] -= options.gravity * seconds;
  SlideOptions slide;
  slide.step_height = options.step_height;
  slide.thickness = options.thickness;
  const SlideResult result =
      slide_move(world, hull, walker.pose, seconds * walker.velocity, scratch, slide);
  if (result.verdict == Verdict::invalid) return result;
  walker.pose = result.end;
  walker.velocity = result.way / seconds;
  walker.on_ground = result.on_ground && !(walker.velocity[2] > options.jump_speed / 2);
  return result;
}

bool is_in_solid(std::span<const Obstacle> world, const BrushModel& hull, const Pose& pose,
                 Scratch& scratch) {
  const FloatEnvironment environment;
  if (position_test(world, hull, pose, scratch)) return true;
  const Vec3& x = pose.translation;
  return std::any_of(world.begin(), world.end(), [&](const Obstacle& obstacle) {
    const BrushModel& solid = obstacle.model;
    if (!overlap({x, x}, solid.box)) return false;
    return std::all_of(solid.facets.begin(), solid.facets.end(), [&](const Facet& facet) {
      return volume_sign(solid.vertices[facet.plane[0]], solid.vertices[facet.plane[1]],
                         solid.vertices[facet.plane[2]], x) < 0;
    });
  });
}

}  // namespace graze
