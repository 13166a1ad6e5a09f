#pragma once

#include <cmath>
#include <nlohmann/json.hpp>

#include "graze/vec3.h"

namespace graze::command {

// JSON has no infinity and no NaN: null stands for both.
inline nlohmann::ordered_json json_number(double x) {
  return std::isfinite(x) ? nlohmann::ordered_json(x) : nlohmann::ordered_json();
}
inline nlohmann::ordered_json json_vector(const Vec3& x) {
  return x.allFinite() ? nlohmann::ordered_json{x[0], x[1], x[2]} : nlohmann::ordered_json();
}

}  // namespace graze::command
