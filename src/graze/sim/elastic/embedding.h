#pragma once

#include <span>
#include <vector>

#include "graze/sim/elastic/tet_mesh.h"

namespace graze {

// The surface of a body inside the tetrahedra that carry it. What touches is the surface, not the
// boundary of the tetrahedra. A force f on a vertex of it is weights[k] f on corner k of its
// tetrahedron, the transpose of how it is carried: the virtual work is the same.
struct Embedding {
  TetMesh cage;
  CarriedSurface surface;
};

// Puts a closed surface into a grid of cubes of side `cell` > 0, each of Kuhn's six tetrahedra: all
// that the surface passes through or encloses.
//   (1) Every vertex has non-negative weights in one tetrahedron, which add up to 1, and lies at
//   its
//       anchor, both up to rounding.
//   (2) The cubes that the surface passes through are there, and those it encloses: a surface that
//       is not closed encloses none. Tetrahedra have positive volume and are conforming; their
//       boundary need not be a manifold.
//   (3) Empty where a position is not finite, a face names no vertex, or the box around the surface
//       has more than 2^24 cells.
Embedding embed(std::span<const Vec3> vertices, std::span<const Face> faces, double cell);

// Where the vertices of the surface are.
std::vector<Vec3> carried(const CarriedSurface& surface, std::span<const Tetrahedron> tets,
                          std::span<const Vec3> positions);

}  // namespace graze
