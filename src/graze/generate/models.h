#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "graze/mesh.h"

namespace graze::generate {

// The triangles of a rigid body, in body coordinates.
struct SurfaceModel {
  std::vector<Vec3> vertices;
  std::vector<Face> faces;
};

// A named generated model, with the same bits on every machine. `closed` means a 2-manifold without
// boundary whose faces are oriented outwards.
struct ModelRecipe {
  std::string_view name, description;
  bool closed;
  SurfaceModel (*make)();
};

// Returns the models of [Zhang 2006] Sec. 6.2, or substitutes for them, and small models.
std::span<const ModelRecipe> model_recipes();

// Returns the model with that name; null if there is none.
const ModelRecipe* find_model_recipe(std::string_view name);

// Returns a tube along the knot that passes 3 times through the hole of a torus and twice around
// its axis: 2 * along * around triangles in a box of about 3.3 x 3.3 x 1.3.
SurfaceModel torus_knot(std::uint32_t along, std::uint32_t around);

// Returns a torus of radius 1 with a tube of radius `tube`: 2 * along * around triangles.
SurfaceModel ring(std::uint32_t along, std::uint32_t around, double tube = 0.25);

// Returns a stretched sphere with deep bumps, or a sphere of radius 1: 2 * meridians * (bands - 1)
// triangles.
SurfaceModel bumpy_figure(std::uint32_t meridians, std::uint32_t bands);
SurfaceModel sphere(std::uint32_t meridians, std::uint32_t bands);

// Returns a box of 12 triangles around the origin.
SurfaceModel box(const Vec3& half_extent);

// Returns two bars of square section that meet at a right angle: 20 triangles.
SurfaceModel l_shape();

SurfaceModel tetrahedron();

// Returns random triangles of about `size` in the cube of side 2. They share no vertices, form no
// closed surface and may intersect each other.
SurfaceModel soup(std::uint32_t triangles, double size, std::uint64_t seed);

// Parts that fit into each other.
//
// Returns the surface of a screw thread around z with the pitch thread_pitch and flanks between
// radius and radius + 0.4: 2 * around * turns * across triangles, oriented outwards. A thread of a
// larger radius is a nut around it: their distance is constant if the nut turns to the left by one
// turn per pitch that it rises.
inline constexpr double thread_pitch = 0.5;
SurfaceModel thread(double radius, std::uint32_t around, std::uint32_t turns, std::uint32_t across);

// Returns a comb along x: teeth of height 2 and width 2, one per unit of length, on a plate below
// z = 0. The plate and each tooth are boxes of 12 * cells * cells triangles.
SurfaceModel comb(std::uint32_t teeth, double thickness, std::uint32_t cells);

// Returns a box without the side towards the positive axis `open` (0, 1 or 2): 10 * cells * cells
// triangles.
SurfaceModel tray(const Vec3& half_extent, int open, std::uint32_t cells);

// Returns the model with every coordinate multiplied by `factor`.
SurfaceModel scaled(SurfaceModel model, double factor);

// Returns six times the volume inside a closed model; negative if its faces are oriented inwards.
double six_volumes(const SurfaceModel& model);

}  // namespace graze::generate
