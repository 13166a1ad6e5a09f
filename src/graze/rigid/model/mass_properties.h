#pragma once

#include <span>

#include "graze/rigid/body.h"

namespace graze::rigid {

// Returns whether every side of every face belongs to exactly one other face, which has it in the
// opposite direction.
bool bounds_a_solid(std::span<const Face> faces);

// Returns the mass properties of the solid bounded by a closed surface, whose faces are all
// oriented outwards or all inwards. Computed in doubles. The volume is 0 for a surface without an
// inside.
// Reference: [Mirtich 1996], summed over tetrahedra instead of projected faces.
MassProperties solid_of(std::span<const Vec3> vertices, std::span<const Face> faces);

}  // namespace graze::rigid
