#pragma once

#include "bench/suite.h"

namespace graze::bench {

// How fast the method `exact` is, each number beside the bar it is held to: on all overlapping
// pairs of real scenes against a plain pass over the same bytes and against every other method, on
// random queries (1 million unless the request says otherwise), on handcrafted ones, by stage, and
// on two threads. The real data are in the one path of the request, else in $GRAZE_DATA, else in
// ../shared/data; what is not there is listed as missing.
Result run_exact(const Request& request, const Progress& progress);

}  // namespace graze::bench
