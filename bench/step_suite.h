#pragma once

#include "bench/suite.h"

namespace graze::bench {

// What a whole step costs: the real scenes (pair counts by every strategy, contacts against their
// truth, the first impact and all of them on one and two threads) and a generated cloth of 1,000
// triangles and four times as many again and again, up to request.count or 4 million. The real data
// are in the one path of the request, else in $GRAZE_DATA, else in ../shared/data.
Result run_step(const Request& request, const Progress& progress);

}  // namespace graze::bench
