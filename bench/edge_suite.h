#pragma once

#include "bench/suite.h"

namespace graze::bench {

// What scenes of edges and cables cost and conserve: the time of a frame of the hoop with 100
// edges, about twice as many again and again, up to request.count or 20,000; the energy of all
// scenes for request.seconds of their time; momentum where nothing acts from outside.
Result run_edges(const Request& request, const Progress& progress);

}  // namespace graze::bench
