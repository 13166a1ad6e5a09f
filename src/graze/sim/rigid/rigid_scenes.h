#pragma once

#include <cstdint>

#include "graze/sim/rigid/rigid_system.h"

namespace graze {

// `count` bodies above one another over a floor, turned this way and that, to be let fall. Lengths
// follow from the size of the shape.
RigidSystem falling_pile(RigidShape shape, std::uint32_t count, std::uint64_t seed);

// A wall of at least `count` bricks in running bond, standing on a floor: [van Waveren 2005] Fig.
// 6. Metres and kilograms. Body 0 is the floor, the bricks follow, row by row, then what is shot:
// for each shot an iron ball (of 20 faces) and debris, single polygons and single points, all of it
// fixed aside until then.
RigidSystem brick_wall(std::uint32_t count, std::uint32_t shots);

// Shoots at the wall from in front of it, each time elsewhere. Nothing happens, and false is
// returned, where something is in the way or nothing is left to shoot.
bool shoot(RigidSystem& system, std::uint32_t shot);

// Figures of 11 bodies and 10 ball joints, one above the other, over stairs of `steps` steps, to be
// let fall. The figures are the last bodies, 11 for each.
RigidSystem stairs_with_figures(std::uint32_t figures, std::uint32_t steps, std::uint64_t seed);

}  // namespace graze
