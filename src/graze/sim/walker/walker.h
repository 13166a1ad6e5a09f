#pragma once

#include "graze/polyhedron/slide_move.h"

namespace graze {

// Somebody who walks, jumps and falls. z is up; metres and seconds.
struct Walker {
  Pose pose;
  Vec3 velocity = Vec3::Zero();
  bool on_ground = false;
};

struct WalkOptions {
  double gravity = 9.81, jump_speed = 5, step_height = 0.4, thickness = 0;
};

// One step of `seconds`: on ground the walker goes as it wishes, level, and jumps; in the air it
// falls, and keeps what it has of its velocity. Nothing but slide_move moves it.
polyhedron::SlideResult walk(std::span<const polyhedron::Obstacle> world,
                             const polyhedron::BrushModel& hull, Walker& walker, const Vec3& wish,
                             bool jumps, double seconds, polyhedron::Scratch& scratch,
                             const WalkOptions& options = {});

// Whether a hull around the body's origin shares a point with a world of convex solids: exactly, by
// position_test, or the origin is inside of one: where surfaces share no point, either all of the
// hull is or none. (A solid that is wholly inside of the hull is not looked for.)
bool is_in_solid(std::span<const polyhedron::Obstacle> world, const polyhedron::BrushModel& hull,
                 const Pose& pose, polyhedron::Scratch& scratch);

}  // namespace graze
