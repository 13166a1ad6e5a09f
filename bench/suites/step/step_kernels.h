#pragma once

#include "bench/harness/suite.h"

namespace graze::bench {

// Measures the kernels of the broad phase on the real scenes and on a generated cloth of
// request.count triangles (default 20,000) with each instruction set: moving_tree, box_tree,
// sweep_and_prune. On a heap of large faces: the search for separating directions.
Result run_step_kernels(const Request& request, const Progress& progress);

}  // namespace graze::bench
