#pragma once

#include <cstdint>
#include <vector>

#include "graze/vec3.h"

// A generated level, player hulls and a random walk; the same bits on every machine.
namespace graze::generate {

// The corners of a convex solid.
using SolidCorners = std::vector<Vec3>;

// Returns the convex solids of a closed hall of 40 by 40 by 8 metres: stairs, gentle and steep
// ramps, pillars, walls of a centimetre and more, pairs of walls that meet at an acute angle, beams
// at head height, and rocks. No solid is within 1.5 metres of the middle. z is up; the floor is at
// z = 0.
std::vector<SolidCorners> level_solids(std::uint64_t seed);

// Returns a player's hull, 1.8 metres high, centred at the origin: a box, a prism of eight sides,
// or a solid that is narrower at the feet.
SolidCorners player_corners(std::uint64_t seed);

// The requested motion of a player in one step of a long random walk: straight walking, standing,
// jumping, and occasionally a dash at 60 m/s or a step of a millionth of a millimetre.
struct WalkWish {
  Vec3 velocity;  // horizontal
  bool jumps;
};
WalkWish walk_wish(std::uint64_t seed, std::uint64_t step);

}  // namespace graze::generate
