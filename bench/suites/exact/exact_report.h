#pragma once

#include "bench/harness/suite.h"
#include "bench/suites/exact/exact_bars.h"

namespace graze::bench {

// Returns the JSON, tables and report of what the suite `exact` measured. `where`: machine() before
// the run, so that its load is that of other processes.
Result result_of(const ExactMeasurements& measurements, const Request& request,
                 const Machine& where);

}  // namespace graze::bench
