#pragma once

#include "bench/harness/suite.h"

namespace graze::bench {

// Measures spheres and capsules that are cast straight at a terrain of 100,000 triangles, a knot of
// 50,000 and, where real_data() has it, the bunny: request.count casts of each (default 1,000), by
// rigid::advance() and by the peers. Every answer is compared with that of a judge in closed form,
// which tests every triangle near the way.
Result run_casts(const Request& request, const Progress& progress);

}  // namespace graze::bench
