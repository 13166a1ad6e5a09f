#pragma once

#include "bench/harness/suite.h"

namespace graze::bench {

// Measures every method on every set, against the exact truth. The sets are those of request.paths,
// else generated and simulated ones: request.count queries (default 300) of each degenerate family
// and ten times as many of each other set. A method is not measured on sets of a kind that it does
// not answer.
Result run_narrow(const Request& request, const Progress& progress);

// The rows as docs/contract.md defines them, and as a table. Other suites use them too.
nlohmann::ordered_json to_json(const std::vector<Row>& rows);
report::Table table_of(const std::vector<Row>& rows);

}  // namespace graze::bench
