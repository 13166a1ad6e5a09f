#pragma once

#include "bench/harness/suite.h"

namespace graze::bench {

// Measures the speed of the method `exact` against its bars: on all overlapping pairs of real
// scenes, against a plain pass over the same bytes and against every other method; on request.count
// random queries (default 1 million); on handcrafted queries; by stage; and on two threads. Data
// that real_data() does not have is listed as missing.
Result run_exact(const Request& request, const Progress& progress);

}  // namespace graze::bench
