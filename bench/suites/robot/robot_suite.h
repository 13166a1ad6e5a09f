#pragma once

#include "bench/harness/suite.h"

namespace graze::bench {

// Measures edges of the Panda, request.count of 0.1 radians (default 1000), in three worlds and
// alone: time per edge of PathChecker and, where built, of the peers, and the contacts they miss.
Result run_robot(const Request& request, const Progress& progress);

}  // namespace graze::bench
