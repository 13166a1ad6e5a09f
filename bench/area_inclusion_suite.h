#pragma once

#include "bench/suite.h"

namespace graze::bench {

// Table 1 and Figure 1 of [Huh 2014]: random vertex-face queries (10 million unless the request
// says otherwise), hits by odd and even number of contacts and time for each tolerance, beside the
// published numbers.
Result run_area_inclusion(const Request& request, const Progress& progress);

}  // namespace graze::bench
