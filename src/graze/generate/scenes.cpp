#include "graze/generate/scenes.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace graze::generate {
namespace {

// Appends the faces of a sheet of n x n squares, each of two triangles with alternating diagonals;
// its vertices are numbered from `first`.
void add_sheet(std::uint32_t n, std::uint32_t first, std::vector<Face>& faces) {
  for (std::uint32_t row = 0; row < n; ++row)
    for (std::uint32_t column = 0; column < n; ++column) {
      const std::uint32_t a = first + row * (n + 1) + column, b = a + 1, c = a + n + 1, d = c + 1;
      if ((row + column) % 2 == 0) {
        faces.push_back({a, b, d});
        faces.push_back({a, d, c});
      } else {
        faces.push_back({a, b, c});
        faces.push_back({b, d, c});
      }
    }
}

// Returns a wave between -1 and 1 of period 1, composed of parabolas. It replaces a sine and has
// the same bits on every machine.
double wave(double x) {
  const double turn = 2 * (x - std::floor(x)) - 1;
  return 4 * turn * (1 - std::abs(turn));
}

double cone(double x, double y) {
  return 0.5 - 0.5 * std::sqrt(x * x + y * y) + 0.02 * wave(1.3 * x) * wave(1.7 * y);
}

// A cloth above a bumpy cone of coarser triangles, at a distance of about one square of the cloth.
// It sinks, ripples and drifts from frame to frame. The fraction of its features that touch does
// not depend on the number of triangles.
FrameSequence cloth_on_cone(std::size_t triangles, std::size_t frames) {
  const auto squares = [](double count) {
    return static_cast<std::uint32_t>(std::max(1.0, std::round(std::sqrt(count / 2))));
  };
  const double count = static_cast<double>(triangles);
  const std::uint32_t n = squares(0.75 * count), m = squares(0.25 * count);
  const std::uint32_t cloth_size = (n + 1) * (n + 1), cone_size = (m + 1) * (m + 1);
  const double h = 2.0 / n;

  std::vector<Face> faces;
  faces.reserve(2 * (std::size_t{n} * n + std::size_t{m} * m));
  add_sheet(n, 0, faces);
  add_sheet(m, cloth_size, faces);
  FrameSequence scene{make_mesh(cloth_size + cone_size, std::move(faces)), {}};
  for (std::size_t frame = 0; frame < frames; ++frame) {
    const auto time = static_cast<double>(frame);
    std::vector<Vec3> positions;
    positions.reserve(cloth_size + cone_size);
    for (std::uint32_t v = 0; v < cloth_size; ++v) {
      const double x = h * (v % (n + 1)) - 1, y = h * (v / (n + 1)) - 1;
      const double ripple = wave(7 * x) * wave(5 * y), fall = 1 + 0.4 * wave(3 * x + 2 * y);
      positions.emplace_back(x + 0.1 * h * time * wave(2 * y), y + 0.1 * h * time * wave(2 * x),
                             cone(x, y) + h * (1.35 + 0.2 * ripple - 0.5 * time * fall));
    }
    for (std::uint32_t v = 0; v < cone_size; ++v) {
      const double x = 2.4 * (v % (m + 1)) / m - 1.2, y = 2.4 * (v / (m + 1)) / m - 1.2;
      positions.emplace_back(x, y, cone(x, y));
    }
    scene.frames.push_back(std::move(positions));
  }
  return scene;
}

constexpr auto recipes = std::to_array<SceneRecipe>({
    {"cloth_on_cone", "a rippling cloth sinks onto a bumpy cone", cloth_on_cone},
});

}  // namespace

std::span<const SceneRecipe> scene_recipes() {
  return recipes;
}

const SceneRecipe* find_scene_recipe(std::string_view name) {
  for (const SceneRecipe& recipe : recipes)
    if (recipe.name == name) return &recipe;
  return nullptr;
}

}  // namespace graze::generate
