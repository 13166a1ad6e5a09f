#pragma once

#include "bench/harness/suite.h"

namespace graze::bench {

// Measures Table 1 and Figure 1 of [Huh 2014]: request.count random vertex-face queries (default 10
// million), hits with an odd and an even number of contacts and the time for each tolerance, beside
// the published numbers.
Result run_area_inclusion(const Request& request, const Progress& progress);

}  // namespace graze::bench
