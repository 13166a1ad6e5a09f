#pragma once

#include "graze/broad/pair_job.h"

namespace graze::broad {

// Finds the pairs that are not proven to stay apart during the job's slab (PairSet::meeting), with
// linear bounding volume hierarchies (packed_tree.h) of moving boxes. A moving box is given at the
// begin and at the end of the slab and moves linearly between. Two moving boxes stay apart if along
// some axis the same box is ahead at both ends. For two features whose boxes do not stay apart, a
// few more directions are tested (separating_direction-inl.h). Features are sorted by the spatial
// order of their vertices. SIMD.
// If a position is NaN or infinite, the pairs are those of box_tree().
// On curves, bounds that contain the curves move linearly, and directions are tested at all control
// points (MovingBounds).
// Cost: near linear in features and pairs. Memory: 32 bytes per feature, or 56 if features move by
// more than half their size, plus 4 per corner, and up to 72 bytes per vertex (136 on
// curves).
// Crossings (Kind::edge_face) are found among the same pairs (crossing-inl.h), which takes 32 bytes
// more for each edge and 8 for each vertex, 24 with a separation or on curves.
void moving_tree(const PairJob& job, const PairConsumer& consumer);

}  // namespace graze::broad
