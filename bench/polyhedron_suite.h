#pragma once

#include "bench/suite.h"

namespace graze::bench {

// How fast polyhedra and points are traced through a level of many solids, a terrain of 100,000
// polygons and, where there are data, the bunny: request.count straight ways of each (2,000), by
// our own moves, by them with back faces and grooves left out, by them without the tree, and by the
// peers. Answers are judged by those of move(), which tests judge by rational numbers. Data as for
// the suite step.
Result run_polyhedron(const Request& request, const Progress& progress);

}  // namespace graze::bench
