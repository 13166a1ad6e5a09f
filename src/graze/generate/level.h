#pragma once

#include <cstdint>
#include <vector>

#include "graze/vec3.h"

// A place to walk in and somebody to walk there; the same bits on every machine.
namespace graze::generate {

// The corners of a convex solid.
using SolidCorners = std::vector<Vec3>;

// A closed hall of 40 by 40 by 8 metres full of convex solids: stairs, ramps gentle and steep,
// pillars, walls of a centimetre and more, pairs of them that meet at an acute angle, beams to bump
// the head at, and rocks. Nothing is within 1.5 metres of the middle. z is up, the floor is at 0.
std::vector<SolidCorners> level_solids(std::uint64_t seed);

// A player's hull, 1.8 metres high around the origin: a box, a prism of eight sides, or one that is
// narrower at the feet.
SolidCorners player_corners(std::uint64_t seed);

// What a player wants in one step of a long random walk: to go straight for a while, to stand, to
// jump, now and then to dash at 60 m/s or to creep by a millionth of a millimetre.
struct WalkWish {
  Vec3 velocity;  // level
  bool jumps;
};
WalkWish walk_wish(std::uint64_t seed, std::uint64_t step);

}  // namespace graze::generate
