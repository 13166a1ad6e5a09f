#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graze/impact.h"
#include "graze/method.h"
#include "graze/narrow/separation/separation_tally.h"
#include "graze/options.h"
#include "graze/query.h"

namespace graze::narrow {

// A query that is not answered yet.
struct Open {
  std::uint32_t index;
  double free;  // proven to be more than d apart on [0, free]; 0 if nothing is proven
};

// Answers the open queries that start within d = options.min_separation (contact at 0, with u, v
// and normal) and those that a sequence of directions proves to stay further apart; counts them,
// and leaves the others in `open`. One query per SIMD lane. The answers are proven, as those of
// separation_filter.h are. Requires finite queries, d > 0 and a FloatEnvironment.
void settle(std::span<const VertexFace> queries, const Options& options, Norm norm,
            std::span<Impact> impacts, SeparationTally& tally, std::vector<Open>& open);
void settle(std::span<const EdgeEdge> queries, const Options& options, Norm norm,
            std::span<Impact> impacts, SeparationTally& tally, std::vector<Open>& open);

}  // namespace graze::narrow
