#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "graze/mesh.h"

namespace graze::generate {

// A mesh and its positions in frames that follow one another.
struct FrameSequence {
  Mesh mesh;
  std::vector<std::vector<Vec3>> frames;

  MovingMesh step(std::size_t first) const { return {mesh, frames[first], frames[first + 1]}; }
};

// A named kind of generated scenes: about `triangles` of them, `frames` >= 2. Depends on the
// arguments alone, the same bits on every machine.
struct SceneRecipe {
  std::string_view name, description;
  FrameSequence (*make)(std::size_t triangles, std::size_t frames);
};

std::span<const SceneRecipe> scene_recipes();

// Null when no row has that name.
const SceneRecipe* find_scene_recipe(std::string_view name);

}  // namespace graze::generate
