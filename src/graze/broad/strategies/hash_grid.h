#pragma once

#include "graze/broad/pair_job.h"

namespace graze::broad {

// Cuts space into a grid of cells, about twice as long as the average box, and compares the
// features that lie in the same cell. Cells are found by sorting their numbers; empty cells cost
// nothing. [Wang 2021] Sec. 7 leaves the hash function open.
// DEVIATION: the grid is laid out in ranks (rank_boxes.h), so very large or non-finite coordinates
// do not distort it. If a feature lies in more than `max_cells` cells on average, the cells are
// enlarged until it does not.
// Cost: near linear for a surface of similar triangles. Memory: 32 bytes per feature and cell, with
// at most 32 cells per feature on average.
void hash_grid(const PairJob& job, const PairConsumer& consumer);

}  // namespace graze::broad
