#pragma once

#include "graze/broad/find_pairs.h"

namespace graze {

// Sorts the boxes along the axis on which they are shortest, compared with the rest of the mesh;
// each box is compared on the other two axes with those that begin within it. SIMD.
// Cost: the pairs that overlap on that axis, about n^1.5 for a surface of n triangles.
void sweep_and_prune(const MovingMesh& moving, double separation, const PairConsumer& consumer);

}  // namespace graze
