#pragma once

#include "bench/harness/suite.h"

namespace graze::bench {

// Measures the methods that support a separation, each against the oracle of its own norm: on pairs
// of real scenes, on handcrafted queries and on request.count random queries (default 3,000), at
// distances of 1e-8, 1e-4 and 1e-2 of the size of the set, against its bars. Also measures Figure 8
// of [Wang 2021] in both norms: time and false positives by distance. Data that real_data() does
// not have is listed as missing.
Result run_separation(const Request& request, const Progress& progress);

}  // namespace graze::bench
