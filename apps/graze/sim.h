#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

// What the scenes of the command `sim` share.
namespace graze::command {

struct SimArguments {
  std::string scene, model;
  double seconds = 10, step = 1.0 / 60;
  std::uint32_t count = 0;  // 0: what the scene likes
  std::uint64_t seed = 1;
  int threads = 1;
  bool json = false;
  // Scenes of edges only.
  std::string save, resume, record, write_scene;
};

// What is told of a run. `clean` is whether it kept its promise.
struct SimSummary {
  nlohmann::ordered_json json;
  std::string text;
  bool clean = true;
};

// A scene of edges: built in, or described by a file.
SimSummary run_edges(const SimArguments& arguments);

}  // namespace graze::command
