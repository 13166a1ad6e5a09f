#pragma once

#include <span>
#include <vector>

#include "graze/sim/elastic/material/tet_mesh.h"

namespace graze::sim::soft {

// A surface inside the tetrahedra that carry it. Contact acts on the surface, not on the boundary
// of the tetrahedra. A force f on a vertex of the surface acts as weights[k] f on corner k of its
// tetrahedron, the transpose of the interpolation, so that the virtual work is the same.
struct Embedding {
  TetMesh cage;
  Skin surface;
};

// Embeds a closed surface into a grid of cubes of side `cell` > 0, each divided into Kuhn's six
// tetrahedra: all cubes that the surface passes through or encloses.
//   (1) Every vertex has non-negative weights in one tetrahedron that sum to 1 and reproduce its
//       position, both up to rounding.
//   (2) The cubes that the surface passes through or encloses are included; a surface that is not
//       closed encloses none. The tetrahedra have positive volume and are conforming; their
//       boundary need not be a manifold.
//   (3) The result is empty if a position is not finite, a face has an index out of range, or the
//       box around the surface has more than 2^24 cells.
Embedding embed(std::span<const Vec3> vertices, std::span<const Face> faces, double cell);

// Returns the positions of the vertices of the surface.
std::vector<Vec3> carried(const Skin& surface, std::span<const Tetrahedron> tets,
                          std::span<const Vec3> positions);

}  // namespace graze::sim::soft
