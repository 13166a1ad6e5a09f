#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "graze/core/mesh.h"

namespace graze {

// The pairs of faces of a frame that share a point, but no vertex: what a simulation without
// intersections must not have. Exact for the positions as stored. Sorted, the smaller face first.
// `fixed`: of each vertex, not 0 where it is static; two faces of static vertices alone are left
// out. Empty: none is. All positions are finite.
// Cost: n log n for n faces, and all pairs whose boxes overlap along x.
std::vector<std::array<std::uint32_t, 2>> crossing_faces(const Mesh& mesh,
                                                         std::span<const Vec3> positions,
                                                         std::span<const std::uint8_t> fixed = {});

}  // namespace graze
