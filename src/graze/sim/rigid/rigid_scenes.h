#pragma once

#include <cstdint>

#include "graze/sim/rigid.h"

namespace graze::sim::rigid {

// A model and its state at the start of a run.
struct Scene {
  Model model;
  State state;
};

// Makes `count` bodies of one shape, one above the other over a static floor (body 0), each turned
// by a random rotation. Gap, gravity and distances are proportional to the radius of the shape, so
// that piles of all sizes fall alike.
Scene falling_pile(const Shape& shape, std::uint32_t count, std::uint64_t seed);

// Makes a wall of at least `count` bricks in running bond on a floor: [van Waveren 2005] Fig. 6.
// Metres and kilograms. Body 0 is the floor; the bricks follow row by row; then come the
// projectiles of each shot: an iron ball of 20 faces and debris (single polygons and particles).
// Projectiles are static and stand aside until shoot().
Scene brick_wall(std::uint32_t count, std::uint32_t shots);

// Fires one shot at the wall from the front, at a place that depends on the shot. Returns false,
// and changes nothing, if the projectiles would intersect other bodies or no such shot is left.
bool shoot(Scene& scene, std::uint32_t shot);

// Makes jointed figures of 11 bodies and 10 ball joints each, one above the other over a staircase
// of `steps` steps. The figures are the last bodies, 11 for each.
Scene stairs_with_figures(std::uint32_t figures, std::uint32_t steps, std::uint64_t seed);

}  // namespace graze::sim::rigid
