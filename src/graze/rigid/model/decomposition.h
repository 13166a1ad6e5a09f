#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graze/mesh.h"

namespace graze::rigid {

// A division of the faces of a mesh into connected pieces, each a part of the boundary of its own
// convex hull.
struct SurfaceDecomposition {
  std::uint32_t pieces = 0;          // the number of pieces
  std::vector<std::uint32_t> piece;  // for each face: its piece, numbered by first face
};

// Computes a convex surface decomposition: grows pieces from face to face across edges as long as
// they stay convex. Only convex_pieces.h uses it.
//   (1) All vertices of a piece lie on or behind the planes of all its faces, up to 2^-39 of the
//       largest coordinate.
//   (2) A piece is connected across edges that exactly two faces share, in opposite directions.
//       A piece ends at every other edge. A single triangle, or one without area, is a piece.
//   (3) No piece has more than max_faces faces.
// The mesh is that of a body with status ok. Cost: for each added face linear in the faces of its
// piece, which is why their number is limited.
// Reference: [Zhang 2006] Sec. 3.3; [Ehmann 2001].
SurfaceDecomposition decompose_surface(std::span<const Vec3> vertices, std::span<const Face> faces,
                                       std::uint32_t max_faces = 4096);

}  // namespace graze::rigid
