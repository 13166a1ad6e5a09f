#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "graze/sim/edges.h"

namespace graze::command {

// The "format" of a scene of edges.
inline constexpr auto edge_scene_format = "graze-edges-1";

// Returns a scene of edges as JSON; docs/edges.md describes the format. Numbers are written so that
// they are read back bit for bit.
nlohmann::ordered_json to_json(const sim::edges::Model& model);
// Reads a scene. Throws io::FileError that names the defect: no JSON, an unknown key, a value of
// the wrong type, or the result of problem(model).
sim::edges::Model read_edge_scene(const std::string& file);

// Returns a state as JSON.
nlohmann::ordered_json to_json(const sim::edges::State& state);
// Reads a state with the sizes of `like`. Throws io::FileError.
sim::edges::State read_edge_state(const std::string& file, const sim::edges::State& like);

}  // namespace graze::command
