#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "graze/sim/edges.h"

namespace graze::sim::edges {

// A built-in scene of edges. Lengths in metres, masses in kilograms.
struct EdgeScene {
  std::string_view name, description;
  Model (*make)(std::size_t edges);  // makes the scene with about that many edges
  std::size_t usual_edges;
  std::size_t most_edges;  // more are not possible
};

// A straight cable between two clamps, 1 m apart, twisted by the torque M so that M L / (E I) is
// `moment`, and pushed aside a little. Without weight; drag brings it to rest. A straight rod
// between clamps is stable up to buckling_moment and buckles into a coil above (Greenhill 1883;
// the number is twice the first positive solution of tan x = x).
inline constexpr double buckling_moment = 8.98682;
Model twisted_cable(std::size_t elements, double moment);

// The table of built-in scenes. hoop is [Jansen] Figure 1, sticks is Figure 2.
std::span<const EdgeScene> edge_scenes();

}  // namespace graze::sim::edges
