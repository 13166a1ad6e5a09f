#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "graze/sim/edges/edge_system.h"

namespace graze {

// A scene of edges that is built in. Lengths in metres, masses in kilograms.
struct EdgeScene {
  std::string_view name, description;
  EdgeModel (*make)(std::size_t edges);  // of about that many edges
  std::size_t usual_edges;
};

// The table of them; hoop is [Jansen] Figure 1.
std::span<const EdgeScene> edge_scenes();

}  // namespace graze
