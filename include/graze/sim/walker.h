#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "graze/options.h"
#include "graze/polyhedron/slide.h"

// A player that walks, jumps and falls among static solids. z is up; metres and seconds.
namespace graze::sim::walker {

// The data that are constant during a run.
struct Model {
  std::vector<polyhedron::Obstacle> world;  // static
  polyhedron::Model hull;                   // of the player, about the origin of its pose
  double gravity = 9.81;                    // metres per second squared
  double jump_speed = 5;                    // metres per second
  double step_height = 0.4;                 // metres: height of stairs that are walked up and down
  double thickness = 0;                     // as SlideOptions::thickness
};

// The data that a step changes.
struct State {
  Pose pose;
  Vec3 velocity = Vec3::Zero();  // length per second
  bool on_ground = false;        // stands on a plane that is not too steep
};

// Options of step().
struct Options {
  double seconds = 1.0 / 60;  // length of the step, above 0
  Vec3 wish = Vec3::Zero();   // requested horizontal velocity; used on ground only
  bool jump = false;          // used on ground only
  // Called once per stored step, with the state before the step and the state that is stored.
  // is_in_solid() in here certifies a run.
  std::function<void(const State& before, const State& after)> monitor;
};

// The outcome of a step.
struct Report {
  // separated: the step is done, and its whole way was free. contact: the step is done, and an
  // obstacle stopped or deflected the player; the way that was taken is free. undecided: run.stop
  // ended the step. invalid: see step(). With the last two the state is unchanged, the monitor was
  // not called, and the other fields have their defaults.
  Verdict verdict = Verdict::invalid;
  bool stepped = false;     // walked up or down a step
  std::uint32_t stops = 0;  // times that an obstacle stopped or deflected the player
  std::vector<polyhedron::Contact> contacts;  // that stopped the player, in order
};

// Advances the state by options.seconds. On ground the velocity becomes `wish`, plus jump_speed
// upwards for a jump; in the air gravity adds to the velocity. slide_move() moves the player.
//   (1) If the hull shares no point with the world before the step, it shares none afterwards nor
//       within the step.
//   (2) The result depends on the model, the state, the seconds, the wish and the jump alone.
// invalid, and the state unchanged: seconds not finite or not above 0, or input that slide_move()
// rejects. run.stop is read between the facets that a move examines. run.threads and run.progress
// are not used.
// `scratch`: memory that steps reuse; its stop flag (Scratch::stop_on) is replaced by run.stop and
// is null afterwards.
// Cost: that of slide_move().
Report step(const Model& model, State& state, polyhedron::Scratch& scratch,
            const Options& options = {}, const Run& run = {});
// The same with memory that is allocated for the call.
Report step(const Model& model, State& state, const Options& options = {}, const Run& run = {});

// Returns whether the hull at the pose shares a point with the world, or lies inside one of its
// convex solids. Exact. A solid that lies wholly inside the hull is not found. False if the model
// or the pose is invalid.
bool is_in_solid(const Model& model, const Pose& pose, polyhedron::Scratch* scratch = nullptr);

}  // namespace graze::sim::walker
