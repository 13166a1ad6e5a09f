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

// The table of built-in scenes. hoop is [Jansen] Figure 1, sticks is Figure 2.
std::span<const EdgeScene> edge_scenes();

}  // namespace graze::sim::edges
