#pragma once

#include "graze/broad/pair_job.h"
#include "graze/broad/time_slabs.h"

namespace graze {

// A linear bounding volume hierarchy (packed_tree.h) whose boxes move: each is known at the begin
// and at the end of the slab, and lies between in between. Two such boxes are apart all the time
// where along some axis the same one is ahead at both ends. For two features whose boxes are not, a
// direction is looked for that keeps them apart (separating_direction-inl.h). Trees of features are
// ordered by those of the vertices. SIMD.
// Cost: near linear in features and pairs. Memory: 56 bytes per feature and 4 per corner of it, and
// up to 72 per vertex.
void moving_tree(const PairJob& job, const Slab& slab, const PairConsumer& consumer);

}  // namespace graze
