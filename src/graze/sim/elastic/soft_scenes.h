#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "graze/sim/soft.h"

namespace graze::sim::soft {

// A built-in scene of soft bodies.
struct SoftScene {
  std::string_view name, description;
  Model (*make)(std::size_t vertices);  // makes the scene with about that many moving vertices
  std::size_t usual_vertices;
};

// The table of built-in scenes. mat, golf and chain are [Wang 2021] Figure 3.
std::span<const SoftScene> soft_scenes();

// Makes a scene in which a closed surface, scaled to a height of 0.5 m and embedded in a grid of
// about `vertices` vertices, falls on a plane: [Wang 2021] Figure 10. z is up.
Model squash_scene(std::span<const Vec3> surface, std::span<const Face> faces,
                   std::size_t vertices);

}  // namespace graze::sim::soft
