#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "graze/sim/soft.h"

namespace graze::command {

// The "format" of a scene of soft bodies.
inline constexpr auto soft_scene_format = "graze-soft-1";

// Returns a scene of soft bodies as JSON; docs/soft-bodies.md describes the format. Numbers are
// written so that they are read back bit for bit.
nlohmann::ordered_json to_json(const sim::soft::Model& model);
// Reads a scene. Throws io::FileError that names the defect: no JSON, an unknown key, a value of
// the wrong type, or the result of problem(model).
sim::soft::Model read_soft_scene(const std::string& file);

// Returns a state as JSON.
nlohmann::ordered_json to_json(const sim::soft::State& state);
// Reads a state with the sizes of `like`. Throws io::FileError.
sim::soft::State read_soft_state(const std::string& file, const sim::soft::State& like);

}  // namespace graze::command
