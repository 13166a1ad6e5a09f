#pragma once

#include "bench/harness/suite.h"

namespace graze::bench {

// Measures scenes of edges and cables: the time of a frame of the hoop by its number of edges, from
// 100 up to request.count (default 20,000); the energy of all scenes over request.seconds of
// simulated time; the momentum of two cables without external forces.
Result run_edges(const Request& request, const Progress& progress);

}  // namespace graze::bench
