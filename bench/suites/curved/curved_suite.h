#pragma once

#include "bench/harness/suite.h"

namespace graze::bench {

// Measures exact_curved on every family of curved queries, for each kind of two and each curve, and
// exact_turning on every family of queries that turn, against their bars: the time of `exact` on
// the family's straight queries in the same turns, the slowest query, and errors against the
// oracles. Compares the steps of generated and real scenes on curves with those on lines
// (curved_scenes.h). request.count: queries of a set (default 2,000), of which the oracle judges
// the first 100 (10 of families that mix magnitudes).
Result run_curved(const Request& request, const Progress& progress);

}  // namespace graze::bench
