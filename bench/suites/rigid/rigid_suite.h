#pragma once

#include "bench/harness/suite.h"

namespace graze::bench {

// Measures the first contact of rigid meshes: the scenarios of [Zhang 2006] Sec. 6.2 with
// request.count shots each (default 250), against its bars, beside the numbers of 2006 and, with
// the CMake option GRAZE_PEERS, beside other libraries. Models that real_data() does not have are
// listed as missing.
Result run_rigid(const Request& request, const Progress& progress);

}  // namespace graze::bench
