#pragma once

#include "graze/broad/pair_job.h"

namespace graze {

// Cuts space into a grid of cells, about twice as long as boxes are on average, and compares the
// features that lie in the same cell. Cells are found by sorting their numbers, empty ones cost
// nothing. [Wang 2021] Sec. 7 leaves the hash open.
// DEVIATION: distances are counted in ranks (rank_boxes.h), so that coordinates far out or not
// finite do no harm; where boxes differ so much in size that on average one lies in more than
// `max_cells` cells, the cells are made larger until it does not.
// Cost: near linear for a surface of similar triangles. Memory: 32 bytes for every feature in
// every cell, at most 32 of them per feature.
void hash_grid(const PairJob& job, const PairConsumer& consumer);

}  // namespace graze
