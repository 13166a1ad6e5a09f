#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graze/polyhedron/zone.h"

namespace graze::polyhedron {

// Options of slide_move().
struct SlideOptions {
  Vec3 up = {0, 0, 1};         // unit length
  double step_height = 0;      // length: the highest step a body on the ground walks up or down
  double ground_cos = 0.7;     // the least normal.up of ground that can be stood on
  double ground_distance = 0;  // length: ground this far below counts; 0: mover's height / 256
  double thickness = 0;        // as in ExpelOptions
};

// The end of a slide, and the contacts that stopped the body on the way.
struct SlideResult {
  // separated; contact: the body was stopped at least once; invalid; or undecided
  // (Scratch::stop_on): the body stays at its start
  Verdict verdict = Verdict::invalid;
  Pose end;
  // The way without its components against the planes that were met. To update a velocity, divide
  // by the time step.
  Vec3 way = Vec3::Zero();
  std::uint32_t stops = 0;        // how many contacts stopped the body
  bool stepped = false;           // the body walked up or down a step
  bool on_ground = false;         // the body ends on the ground, or steep planes stopped its fall
  Contact ground;                 // if on_ground
  std::vector<Contact> contacts;  // of the stops, in order
  // The start and the end of each straight part of the motion, in order. The last one is `end`.
  std::vector<Pose> track;
};

// Tests whether the body stands on ground; `contact` is the contact with it. invalid if a model,
// the pose or an option is invalid; undecided if the call is stopped (Scratch::stop_on).
TouchResult ground_test(std::span<const Obstacle> world, const Model& mover, const Pose& pose,
                        Scratch& scratch, const SlideOptions& options);

// Moves a body by `way` like the player of a first-person game. Each plane in the way removes the
// component against it, and the body slides on: along one plane, along the crease of two planes
// that meet at an acute angle; three planes stop it. A body on the ground walks up and down steps
// of up to `step_height` if there is ground to stand on beyond them.
//   (1) Every part of the motion is an expel_move, so its promises hold for `end`. In particular, a
//       body that shares no point with the world never comes to share one.
//   (2) The component of `way` against the normal of a contact is at most 2^-30 of its length.
//       Up to rounding, `way` is no longer than the given way.
//   (3) The answer depends on the arguments alone.
// Cost: at most 8 expel_move for a slide; three times that and four more if steps are tried.
// Reference: [van Waveren 2005] 6.
SlideResult slide_move(std::span<const Obstacle> world, const Model& mover, const Pose& pose,
                       const Vec3& way, Scratch& scratch, const SlideOptions& options = {});

}  // namespace graze::polyhedron
