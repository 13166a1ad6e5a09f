#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "graze/broad/find_pairs.h"
#include "graze/io/record.h"

// What the scenes of the command `sim` share.
namespace graze::command {

struct SimArguments {
  std::string scene, model;
  double seconds = 10;
  std::optional<double> step;  // none: what the scene likes
  std::uint32_t count = 0;     // 0: what the scene likes
  std::uint64_t seed = 1;
  int threads = 1;
  bool json = false;
  std::string html, record;  // written by `sim` itself, after the run, from the recording
  // What is seen of the run, for a scene to fill: bodies, frames, contacts. None: nobody looks.
  io::Recording* recording = nullptr;
  // Scenes of edges and of soft bodies only.
  std::string save, resume, write_scene;
  std::string ccd;  // soft bodies: the method that bounds the steps; empty: the solver's own
  std::optional<double> eta, distance_tol;  // torus only
  std::string queries;      // folder; written by `sim` itself, from what is observed
  MotionObserver observer;  // for a scene of edges or of soft bodies to show what it asks
};

// What is told of a run. `clean` is whether it kept its promise.
struct SimSummary {
  nlohmann::ordered_json json;
  std::string text;
  bool clean = true;
};

// Scenes of rigid bodies.
SimSummary run_bunnies(const SimArguments& arguments);
SimSummary run_rings(const SimArguments& arguments);
SimSummary run_wall(const SimArguments& arguments);
SimSummary run_ragdoll(const SimArguments& arguments);
// A scene of edges: built in, or described by a file.
SimSummary run_edges(const SimArguments& arguments);
// A scene of soft bodies, kept apart by barriers: built in, or described by a file.
SimSummary run_soft(const SimArguments& arguments);
// The ring on a cone, kept apart by an active set of constraints.
SimSummary run_torus(const SimArguments& arguments);
// A player in a generated level.
SimSummary run_walker(const SimArguments& arguments);

}  // namespace graze::command
