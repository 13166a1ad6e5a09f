#pragma once

#include "graze/broad/pair_job.h"

namespace graze::broad {

// Divides space recursively by axis-aligned planes through bounds of boxes until few features are
// left, and compares these. A feature that lies on both sides of a plane goes to both sides.
// DEVIATION: [van Waveren 2005] 5 stores the tree and queries it for one moving object after
// another. Here all pairs are found in one traversal, and no tree is stored.
// A plane is used only if it saves at least 30 % of the comparisons, so there are never more than
// brute_force makes. Memory: 28 bytes per feature, and about three times that during the recursion.
void axial_bsp(const PairJob& job, const PairConsumer& consumer);

}  // namespace graze::broad
