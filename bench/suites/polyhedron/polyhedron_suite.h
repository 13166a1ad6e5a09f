#pragma once

#include "bench/harness/suite.h"

namespace graze::bench {

// Measures translations and rotations of polyhedra, and translations of points, through a level of
// many solids, a terrain of 100,000 polygons and, where real_data() has it, the bunny:
// request.count moves in each (default 2,000), by our own moves, by variants without the tree or
// with back faces and grooves left out, and by the peers. Answers are compared with those of a
// judge that shares no code with the room polyhedron: advancement of triangles, and for a point a
// test of every triangle.
Result run_polyhedron(const Request& request, const Progress& progress);

}  // namespace graze::bench
