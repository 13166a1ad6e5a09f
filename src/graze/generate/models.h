#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "graze/mesh.h"

namespace graze::generate {

// Triangles of a rigid body, in its own coordinates.
struct SurfaceModel {
  std::vector<Vec3> vertices;
  std::vector<Face> faces;
};

// A model with a name; the same bits on every machine. `closed`: a 2-manifold without boundary
// whose faces are oriented outwards.
struct ModelRecipe {
  std::string_view name, description;
  bool closed;
  SurfaceModel (*make)();
};

// The models of [Zhang 2006] Sec. 6.2, or what stands for them, and small ones.
std::span<const ModelRecipe> model_recipes();

// Null when no row has that name.
const ModelRecipe* find_model_recipe(std::string_view name);

// A tube along the knot that winds 3 times through the hole of a torus while it goes round twice:
// 2 * along * around triangles in a box of about 3.3 x 3.3 x 1.3.
SurfaceModel torus_knot(std::uint32_t along, std::uint32_t around);

// A torus of radius 1, its tube of radius `tube`: 2 * along * around triangles.
SurfaceModel ring(std::uint32_t along, std::uint32_t around, double tube = 0.25);

// A stretched sphere with deep bumps: 2 * meridians * (bands - 1) triangles.
SurfaceModel bumpy_figure(std::uint32_t meridians, std::uint32_t bands);

// 12 triangles around the origin.
SurfaceModel box(const Vec3& half_extent);

// 20 triangles: two bars of square section that meet at a right angle.
SurfaceModel l_shape();

SurfaceModel tetrahedron();

// Triangles of about `size` with corners of their own, anywhere in the cube of side 2: not closed,
// they may pass through each other.
SurfaceModel soup(std::uint32_t triangles, double size, std::uint64_t seed);

// The same with every coordinate multiplied.
SurfaceModel scaled(SurfaceModel model, double factor);

// Six times the volume inside a closed model, negative where the faces look inwards.
double six_volumes(const SurfaceModel& model);

}  // namespace graze::generate
