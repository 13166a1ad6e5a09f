#pragma once

#include <span>
#include <vector>

#include "graze/sim/soft.h"

namespace graze::sim::soft {

// Returns the boundary: the triangles of one tetrahedron only, counterclockwise from outside, in
// the order of the tetrahedra.
std::vector<Face> surface_of(std::span<const Tetrahedron> tets);

// Returns the signed volume: negative if the corners are left-handed.
double volume_of(std::span<const Vec3> positions, const Tetrahedron& tet);

}  // namespace graze::sim::soft
