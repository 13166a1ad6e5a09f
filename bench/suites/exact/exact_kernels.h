#pragma once

#include "bench/harness/suite.h"

namespace graze::bench {

// Measures the kernels of the narrow phase with each instruction set, data in cache: the culls and
// the roots of `exact` on queries that they decide, and the lanes of a separation. The queries are
// those of the family random and of the listed pairs of the real scenes, request.count of each
// (default 20,000).
Result run_exact_kernels(const Request& request, const Progress& progress);

}  // namespace graze::bench
