#pragma once

#include "graze/broad/moving/time_slabs.h"
#include "graze/find_pairs.h"

namespace graze::broad {

// Finds the pairs of graze::find_pairs() for a slab of the step: boxes are those that features
// sweep during the slab, and PairSet::meeting leaves out pairs that are proven to stay apart during
// the slab. The promises of graze::find_pairs() hold for contacts during the slab.
// Precondition: all positions are finite, unless the slab is the whole step.
PairStatus find_pairs(const MovingMesh& moving, const Slab& slab, const PairConsumer& consumer,
                      const PairOptions& options, const Run& run, const PairStrategy& strategy);

}  // namespace graze::broad
