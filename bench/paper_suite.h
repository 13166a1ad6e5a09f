#pragma once

#include "bench/suite.h"

namespace graze::bench {

// The tables and figures of [Wang 2021] and [Huh 2014], on the real data where it is there and on
// generated queries, beside the published numbers. request.paths: the folder of real data, at most
// one; none: the one named by GRAZE_DATA, else ../shared/data.
Result run_paper(const Request& request, const Progress& progress);

}  // namespace graze::bench
