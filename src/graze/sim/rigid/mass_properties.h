#pragma once

#include <span>

#include "graze/sim/rigid.h"

namespace graze::sim::rigid {

// Returns whether every side of every face belongs to exactly one other face, which has it in the
// opposite direction.
bool is_closed(std::span<const Face> faces);

// Returns the mass properties of the solid bounded by a closed surface, whose faces are all
// oriented outwards or all inwards. Computed in doubles. The volume is 0 for a surface without an
// inside.
// Reference: [Mirtich 1996], summed over tetrahedra instead of projected faces.
MassProperties solid_of(std::span<const Vec3> vertices, std::span<const Face> faces);

}  // namespace graze::sim::rigid
