#pragma once

#include "bench/harness/suite.h"

namespace graze::bench {

// Measures the tables and figures of [Wang 2021] and [Huh 2014], on real data and on generated
// queries, beside the published numbers. Data that real_data() does not have is listed as missing.
Result run_paper(const Request& request, const Progress& progress);

// Makes one report of all five papers: run_paper(), then the suites area-inclusion (Table 1 of
// [Huh 2014]), rigid ([Zhang 2006]), edges ([Jansen]) and polyhedron ([van Waveren 2005]), each
// with its own part of results.json, and a list of the results of the papers that the run lacks.
Result run_papers(const Request& request, const Progress& progress);

}  // namespace graze::bench
