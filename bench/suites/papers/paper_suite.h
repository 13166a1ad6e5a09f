#pragma once

#include "bench/harness/suite.h"

namespace graze::bench {

// Measures the tables and figures of [Wang 2021] and [Huh 2014], on real data and on generated
// queries, beside the published numbers. Data that real_data() does not have is listed as missing.
Result run_paper(const Request& request, const Progress& progress);

}  // namespace graze::bench
