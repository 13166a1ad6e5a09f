#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "graze/sim/edges/edge_system.h"

namespace graze::command {

// A scene of edges as JSON. docs/edges.md describes the format. Numbers are written so that they
// are read back bit for bit.
nlohmann::ordered_json to_json(const EdgeModel& model);
// Throws io::FileError with what is wrong: not JSON, an unknown key, a value of another kind, or
// what problem(model) says.
EdgeModel read_edge_scene(const std::string& file);

nlohmann::ordered_json to_json(const EdgeSystem::State& state);
// Of a system with the size of `like`.
EdgeSystem::State read_edge_state(const std::string& file, const EdgeSystem::State& like);

}  // namespace graze::command
