#pragma once

#include "bench/harness/suite.h"

namespace graze::bench {

// Measures whole steps: real scenes (pairs by strategy, contacts against their truth, the first
// impact and all impacts on one and two threads, with each instruction set, and in a new process),
// the first impact by strategy, also of generated scenes, sequences of steps with and without
// StepSearch, and a generated cloth by its number of triangles, from 1,000 up to
// request.count (default 4 million). Data that real_data() does not have is listed as missing.
Result run_step(const Request& request, const Progress& progress);

}  // namespace graze::bench
