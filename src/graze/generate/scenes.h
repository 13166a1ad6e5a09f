#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "graze/mesh.h"

namespace graze::generate {

// A mesh and its positions in consecutive frames.
struct FrameSequence {
  Mesh mesh;
  std::vector<std::vector<Vec3>> frames;
  // The velocities in each frame, in lengths per step; empty if the scene does not define them.
  std::vector<std::vector<Vec3>> velocities = {};

  MovingMesh step(std::size_t first) const { return {mesh, frames[first], frames[first + 1]}; }
};

// A named kind of generated scenes with about `triangles` triangles and `frames` >= 2 frames; a
// scene of knots has at least 144 triangles. A scene depends on the arguments alone and has the
// same bits on every machine.
struct SceneRecipe {
  std::string_view name, description;
  FrameSequence (*make)(std::size_t triangles, std::size_t frames);
};

std::span<const SceneRecipe> scene_recipes();

// Returns the scene with that name; null if there is none.
const SceneRecipe* find_scene_recipe(std::string_view name);

}  // namespace graze::generate
