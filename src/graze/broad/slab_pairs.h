#pragma once

#include "graze/broad/moving/time_slabs.h"
#include "graze/broad/pair_job.h"
#include "graze/find_pairs.h"

namespace graze::broad {

// Finds the pairs of graze::find_pairs() for a slab of the step: boxes are those that features
// sweep during the slab, and PairSet::meeting leaves out pairs that are proven to stay apart during
// the slab. The promises of graze::find_pairs() hold for contacts during the slab.
// Crossings (Sought) come as Kind::edge_face: two faces, or a rod e as mesh.faces.size() + e and a
// face. Every edge and face without a common vertex of which the edge pierces the face at the begin
// of the slab (strictly inside the face and strictly between its own ends) and that the filter
// admits are part of such a pair; each pair comes once, after all pairs of other kinds.
// `scale`: the scale of the mesh of which this mesh is a part; null: that of this mesh.
// Precondition: all positions are finite, unless the slab is the whole step and no crossings are
// sought. Crossings need a strategy that finds_crossings().
PairStatus find_pairs(const MovingMesh& moving, const Slab& slab, const PairConsumer& consumer,
                      const PairOptions& options, const Run& run, const PairStrategy& strategy,
                      Sought sought = Sought::pairs, const SearchScale* scale = nullptr);

// Returns whether the strategy finds crossings beside pairs.
bool finds_crossings(const PairStrategy& strategy);

}  // namespace graze::broad
