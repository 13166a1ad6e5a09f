#pragma once

#include "graze/broad/moving/time_slabs.h"
#include "graze/broad/pair_job.h"
#include "graze/find_pairs.h"

namespace graze::broad {

// Finds the pairs of graze::find_pairs() for a slab of the step: boxes are those that features
// sweep during the slab, and PairSet::meeting leaves out pairs that are proven to stay apart during
// the slab. The promises of graze::find_pairs() hold for contacts during the slab.
// Crossings (Sought) come as Kind::edge_face, a pair of an edge and a face without a common vertex.
// Every edge that pierces a face at the start of the step (strictly inside the face and strictly
// between its own ends) is part of such a pair, if the filter admits the two or only its callback
// does not. A pair may be reported more than once. Crossings of edges after `last_edge`, which the
// caller may lower during the search, may be missing; if it is null, none is missing.
// `curves`: the curves on which the vertices move instead of straight lines; null: none. The
// promises then hold for contacts on these curves.
// `scale`: the scale of the mesh of which this mesh is a part; null: that of this mesh.
// Precondition: all positions are finite, unless the slab is the whole step and no crossings are
// sought. Crossings need a strategy whose row has `finds_crossings` and a slab that begins at 0.
// Curves need the slab [0, 1], finite control points and as many of them as vertices.
PairStatus find_pairs(const MovingMesh& moving, const Slab& slab, const PairConsumer& consumer,
                      const PairOptions& options, const Run& run, const PairStrategy& strategy,
                      Sought sought = Sought::pairs, const SearchScale* scale = nullptr,
                      const std::atomic<std::uint32_t>* last_edge = nullptr,
                      const Curves* curves = nullptr);

}  // namespace graze::broad
