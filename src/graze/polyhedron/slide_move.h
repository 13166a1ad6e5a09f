#pragma once

#include "graze/polyhedron/expel_zone.h"

namespace graze::polyhedron {

struct SlideOptions {
  Vec3 up = {0, 0, 1};      // of unit length
  double step_height = 0;   // what a body that stands on ground may step up or down
  double ground_cos = 0.7;  // normal.up of ground that can be stood on, at least
  // How far below the body ground is felt. 0: 1/256 of the mover's height.
  double ground_distance = 0;
  double thickness = 0;  // as ExpelOptions
};

struct SlideResult {
  Verdict verdict = Verdict::invalid;  // contact: something was in the way
  Pose end;
  // What has become of the way: without what went against the planes that it met. A velocity goes
  // the same way: multiply by the inverse of the time step.
  Vec3 way = Vec3::Zero();
  std::uint32_t stops = 0;
  bool stepped = false;
  bool on_ground = false;  // at the end, or held up by steep planes while it fell; then
  Contact ground;
  std::vector<Contact> contacts;  // what it stopped at, in order
};

// Whether the body stands on ground, and on which.
bool ground_test(std::span<const Obstacle> world, const BrushModel& mover, const Pose& pose,
                 Scratch& scratch, const SlideOptions& options, Contact* ground = nullptr);

// Moves a body by `way` as players expect of a first-person game: what is in the way takes from the
// way what goes against it, and the rest slides along: along one plane, along the line where two
// planes meet in an acute corner, not at all where three do. A body on ground walks up and down
// steps as high as `step_height` where there is ground to stand on beyond them.
//   (1) Every part of the motion is one of expel_move, so its promises hold for `end`; in
//       particular, a body that shares no point with the world never does.
//   (2) `way` goes against none of the contacts' normals but for 2^-30 of its length, and is not
//       longer than the given one but for rounding.
//   (3) The answer depends on the arguments alone.
// Cost: at most 8 expel_move for a slide; three times that and four more where steps are tried.
// Reference: [van Waveren 2005] 6.
SlideResult slide_move(std::span<const Obstacle> world, const BrushModel& mover, const Pose& pose,
                       const Vec3& way, Scratch& scratch, const SlideOptions& options = {});

}  // namespace graze::polyhedron
