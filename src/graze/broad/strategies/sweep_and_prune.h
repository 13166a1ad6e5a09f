#pragma once

#include "graze/broad/pair_job.h"

namespace graze::broad {

// Cuts space into strips across one axis, sorts the boxes of a strip along another axis and
// compares each box, on the remaining axes, with the boxes that begin within it (SIMD).
// The sweep runs along the axis on which boxes are shortest in ranks (rank_boxes.h). The strips lie
// across the axis on which boxes are second shortest and are as wide as the average box, so most
// boxes lie in one or two strips.
// Cost: near linear for a surface of similar triangles; at least the number of pairs that overlap
// on these two axes. Memory: about 200 bytes per vertex, 20 per edge or face.
void sweep_and_prune(const PairJob& job, const PairConsumer& consumer);

}  // namespace graze::broad
