#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "graze/find_pairs.h"
#include "graze/io/recording.h"
#include "graze/sim/soft.h"

// Types and functions shared by the scenes of `graze sim`.
namespace graze::command {

// Adds the arguments of `graze sim` to its application. The callback runs the scene and sets
// exit_code, which is 0 before.
void add_sim(CLI::App& command, int& exit_code);

struct SimArguments {
  std::string scene, model;
  double seconds = 10;
  std::optional<double> step;  // seconds of a step; none: the scene's default
  std::uint32_t count = 0;     // bodies, edges or vertices; 0: the scene's default
  std::uint64_t seed = 1;
  int threads = 1;
  bool json = false;
  std::string html, record;            // written by `sim` after the run, from the recording
  io::Recording* recording = nullptr;  // filled by the scene: bodies, frames, contacts; may be null
  // Scenes of edges and of soft bodies only.
  std::string save, resume, write_scene;
  std::string ccd;     // soft bodies: the method that bounds the steps; empty: separation_root
  std::string solver;  // soft bodies: "barriers", "active_set"; empty: the scene's
  std::string mover;   // wall: "advance" or "expel"; empty: "advance"
  std::optional<std::uint32_t> shots;  // wall; none: one every second up to two thirds of the time
  std::optional<double> eta;           // with the active set
  std::optional<double> distance_tol;  // of the method `ccd`
  std::string queries;                 // folder; written by `sim` from the observed motions
  MotionObserver observer;             // called with every motion that a scene examines
};

// The result of a run.
struct SimSummary {
  nlohmann::ordered_json json;
  std::string text;
  bool clean = true;    // all checks passed
  std::string failure;  // if not clean: the scene, the failed check, its value and its limit
  int interrupted = 0;  // exit code of an interrupt that ended the run early, else 0
};

// Calls step(seconds of the step, fraction of the run) until `arguments.seconds` have been
// simulated in steps of `step_seconds`, the last one shorter if necessary, or until a call returns
// false. While there is something to keep (--save, --record, --html, --dump-queries), an interrupt
// ends the run after the current step. Returns the exit code of that interrupt, else 0.
int run_steps(const SimArguments& arguments, double step_seconds,
              const std::function<bool(double seconds, double fraction)>& step);

// Scenes of rigid bodies.
SimSummary run_bunnies(const SimArguments& arguments);
SimSummary run_rings(const SimArguments& arguments);
SimSummary run_wall(const SimArguments& arguments);
SimSummary run_ragdoll(const SimArguments& arguments);
// A scene of edges: built in, or read from a file.
SimSummary run_edges(const SimArguments& arguments);
// A scene of soft bodies, by default with barriers: built in, or read from a file.
SimSummary run_soft(const SimArguments& arguments);
// The ring on a cone, by default with an active set of constraints.
SimSummary run_torus(const SimArguments& arguments);
// Runs a scene of soft bodies with an active set of constraints.
SimSummary run_active_set(const SimArguments& arguments, const sim::soft::Model& model);
// A player in a generated level.
SimSummary run_walker(const SimArguments& arguments);

}  // namespace graze::command
