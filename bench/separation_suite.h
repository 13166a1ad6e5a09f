#pragma once

#include "bench/suite.h"

namespace graze::bench {

// How fast, how early and how right are the methods that keep a distance? Every one of them, each
// judged by the oracle of its own norm, on pairs of the scenes and handcrafted queries in
// $GRAZE_DATA (what is not there is listed as missing) and on random queries, at distances of
// 1e-8, 1e-4 and 1e-2 of the size of the set, with the bars the project sets itself; and Figure 8
// of [Wang 2021] in both norms: time and false positives over the distance.
Result run_separation(const Request& request, const Progress& progress);

}  // namespace graze::bench
