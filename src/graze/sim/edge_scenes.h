#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "graze/sim/edge_system.h"

namespace graze {

// A scene of edges that is built in. Lengths in metres, masses in kilograms.
struct EdgeScene {
  std::string_view name, description;
  EdgeModel (*make)(std::size_t edges);  // of about that many edges
  std::size_t usual_edges;
};

//   hoop     a ball falls through the net of a hoop ([Jansen] Figure 1)
//   knot     a cable is pulled into an overhand knot
//   curtain  a net of cables is struck by a fast small ball
std::span<const EdgeScene> edge_scenes();

}  // namespace graze
