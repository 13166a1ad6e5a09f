#pragma once

#include <cmath>
#include <nlohmann/json.hpp>

#include "graze/vec3.h"

namespace graze::command {

using Json = nlohmann::ordered_json;  // keeps the order of keys

// Returns the number, or null for infinity and NaN, which JSON lacks.
inline Json json_number(double x) {
  return std::isfinite(x) ? Json(x) : Json();
}
inline Json json_vector(const Vec3& x) {
  return x.allFinite() ? Json{x[0], x[1], x[2]} : Json();
}

}  // namespace graze::command
