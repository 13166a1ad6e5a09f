#pragma once

#include "graze/broad/pair_job.h"

namespace graze {

// Cuts space into strips across one axis; within a strip, sorts the boxes along another and
// compares each, on the remaining axes, with those that begin within it. SIMD.
// The sweep runs along the axis on which boxes are shortest in ranks (rank_boxes.h); the strips lie
// across the second shortest and are as wide as the average box, so that most boxes are in one or
// two. Cost: near linear for a surface of similar triangles; the pairs that overlap on the two
// axes, at least. Memory: about 200 bytes per vertex, 20 per edge or face.
void sweep_and_prune(const PairJob& job, const PairConsumer& consumer);

}  // namespace graze
