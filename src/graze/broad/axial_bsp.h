#pragma once

#include "graze/broad/pair_job.h"

namespace graze {

// Halves space by planes across the axes, which are bounds of boxes, until few features are left on
// a side, and compares those. Features on both sides of a plane go to both.
// DEVIATION: [van Waveren 2005] 5 keeps the tree and asks it for one moving object after another;
// where all pairs are wanted at once both are one walk, and no tree is stored.
// A plane is used where it saves three of ten comparisons or more, so that there are never more
// than brute_force makes. Memory: 28 bytes per feature, and about three times that on the way down.
void axial_bsp(const PairJob& job, const PairConsumer& consumer);

}  // namespace graze
