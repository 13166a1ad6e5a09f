#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graze/impact.h"
#include "graze/narrow/separation/separation_tally.h"
#include "graze/options.h"
#include "graze/query.h"

namespace graze::narrow {

// The numbers of the queries, ascending, that may come within options.min_separation of each other
// as far as x, y, z and x+-y, y+-z, z+-x tell; the others are answered (`separated` or `invalid`)
// and counted. `norm`: that of (1, 1, 0) in the norm dual to that of the distance, rounded up.
// Under FloatEnvironment, with sensible options.
void cull(std::span<const VertexFace> queries, const Options& options, double norm,
          std::span<Impact> impacts, SeparationTally& tally, std::vector<std::uint32_t>& passed);
void cull(std::span<const EdgeEdge> queries, const Options& options, double norm,
          std::span<Impact> impacts, SeparationTally& tally, std::vector<std::uint32_t>& passed);

}  // namespace graze::narrow
