#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "graze/impact.h"
#include "graze/mesh.h"

namespace graze {

// The pairs of faces that intersect at one moment.
struct Intersections {
  // contact: `faces` is not empty; separated: no two faces intersect; invalid: promise (3).
  Verdict verdict = Verdict::separated;
  std::vector<std::array<std::uint32_t, 2>> faces;  // sorted, the smaller face first
};

// Finds the pairs of faces that have a common point but no common vertex.
//   (1) Exact for the positions as stored: a pair is reported if and only if the closed triangles
//       have a common point. A face may be a segment or a point.
//   (2) The result depends on the arguments alone.
//   (3) `invalid`, without pairs: not as many positions as vertices, a position that is NaN or
//       infinite, or an `is_static` that is neither empty nor one element per vertex.
// `is_static`: one element per vertex, nonzero for a static vertex; two faces whose vertices are
// all static are left out. Empty: no vertex is static.
// Cost: O(n log n) for n faces, and all pairs of faces whose boxes overlap along x.
Intersections intersecting_faces(const Mesh& mesh, std::span<const Vec3> positions,
                                 std::span<const std::uint8_t> is_static = {});

}  // namespace graze
