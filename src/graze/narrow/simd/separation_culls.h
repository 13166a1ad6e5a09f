#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graze/impact.h"
#include "graze/narrow/separation/separation_tally.h"
#include "graze/options.h"
#include "graze/query.h"

namespace graze::narrow {

// Appends to `passed` the indices, ascending, of the queries that none of x, y, z, x+-y, y+-z and
// z+-x separates by more than options.min_separation. Answers the others (`separated` or `invalid`)
// and counts them. `norm` is the length of (1, 1, 0) in the norm dual to that of the distance,
// rounded up. Requires a FloatEnvironment and sensible options.
void cull(std::span<const VertexFace> queries, const Options& options, double norm,
          std::span<Impact> impacts, SeparationTally& tally, std::vector<std::uint32_t>& passed);
void cull(std::span<const EdgeEdge> queries, const Options& options, double norm,
          std::span<Impact> impacts, SeparationTally& tally, std::vector<std::uint32_t>& passed);

}  // namespace graze::narrow
