#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "graze/sim/elastic/barrier_solver.h"

namespace graze::command {

// A scene of soft bodies as JSON. docs/soft-bodies.md describes the format. Numbers are written so
// that they are read back bit for bit.
nlohmann::ordered_json to_json(const SoftModel& model);
// Throws io::FileError with what is wrong: not JSON, an unknown key, a value of another kind, or
// what problem(model) says.
SoftModel read_soft_scene(const std::string& file);
// Whether the file says so, of any version; one that cannot be read throws.
bool is_soft_scene(const std::string& file);

nlohmann::ordered_json to_json(const SoftState& state);
// Of a solver with as many vertices as `like`.
SoftState read_soft_state(const std::string& file, const SoftState& like);

}  // namespace graze::command
