#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "graze/core/mesh.h"

namespace graze {

// Four corners; x1 - x0, x2 - x0, x3 - x0 are right-handed, so that its volume is positive.
using Tetrahedron = std::array<std::uint32_t, 4>;

struct TetMesh {
  std::vector<Vec3> positions;
  std::vector<Tetrahedron> tets;
};

// A surface that tetrahedra carry along: each of its vertices is a fixed combination of the corners
// of one of them.
struct CarriedSurface {
  struct Vertex {
    std::uint32_t tet;
    std::array<double, 4> weights;  // of its corners; they add up to 1
  };
  std::vector<Vertex> vertices;
  std::vector<Face> faces;  // of these vertices
};

// The triangles that belong to one tetrahedron only, seen counterclockwise from outside, in the
// order of the tetrahedra.
std::vector<Face> surface_of(std::span<const Tetrahedron> tets);

// Signed: negative where the corners are left-handed.
double volume_of(std::span<const Vec3> positions, const Tetrahedron& tet);

}  // namespace graze
