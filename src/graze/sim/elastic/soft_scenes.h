#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "graze/sim/elastic/soft_model.h"

namespace graze {

// A scene of soft bodies that is built in. Lengths in metres, masses in kilograms.
struct SoftScene {
  std::string_view name, description;
  SoftModel (*make)(std::size_t vertices);  // of about that many that move
  std::size_t usual_vertices;
};

// The table of them. [Wang 2021] Figure 3 has mat, golf and chain.
std::span<const SoftScene> soft_scenes();

// A closed surface, made half a metre high, falls on a plane: [Wang 2021] Figure 10. It is carried
// by a grid of tetrahedra. z is up in `surface`.
SoftModel squash_scene(std::span<const Vec3> surface, std::span<const Face> faces,
                       std::size_t vertices);

}  // namespace graze
