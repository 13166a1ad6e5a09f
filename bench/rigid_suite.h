#pragma once

#include "bench/suite.h"

namespace graze::bench {

// Rigid meshes that meet: the scenarios of [Zhang 2006] Sec. 6.2 with request.count shots each (250
// unless it says otherwise), against other libraries where configured with GRAZE_PEERS and beside
// the numbers of 2006, held to its bars. The real models are in the one path of the request, else
// in $GRAZE_DATA, else in ../shared/data.
Result run_rigid(const Request& request, const Progress& progress);

}  // namespace graze::bench
