#pragma once

#include "bench/suite.h"

namespace graze::bench {

// Every method on every set, generated and simulated ones or those of files, against the exact
// truth. A method without a set's primitive is left out there.
Result run_narrow(const Request& request, const Progress& progress);

// The parts of it, for tests and other suites.
nlohmann::ordered_json to_json(const std::vector<Row>& rows);  // as in CONTRACT.md
io::Table table_of(const std::vector<Row>& rows);

}  // namespace graze::bench
