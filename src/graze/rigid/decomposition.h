#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graze/core/mesh.h"

namespace graze {

// The faces of a mesh in connected pieces, each a part of the boundary of its own convex hull.
struct SurfaceDecomposition {
  std::uint32_t pieces = 0;
  std::vector<std::uint32_t> piece;  // of each face, numbered in the order of their first faces
};

// Convex surface decomposition, by flooding from face to face across edges while the piece stays
// convex.
//   (1) All vertices of a piece lie on or behind the planes of all its faces, up to 2^-39 of the
//       largest coordinate.
//   (2) A piece is connected across edges that exactly two faces share, in opposite directions.
//       Where a mesh is no manifold, is not oriented, or is a soup, pieces end there; a triangle
//       alone, or one without area, is a piece.
//   (3) No piece has more than max_faces faces.
// The mesh is sound (rigid_model.h sees to it). Cost: for each face that is added, linear in the
// faces of its piece; that is why they are limited.
// Reference: [Zhang 2006] Sec. 3.3; [Ehmann 2001].
SurfaceDecomposition decompose_surface(std::span<const Vec3> vertices, std::span<const Face> faces,
                                       std::uint32_t max_faces = 4096);

}  // namespace graze
