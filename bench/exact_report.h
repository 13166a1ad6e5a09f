#pragma once

#include "bench/exact_bars.h"
#include "bench/suite.h"

namespace graze::bench {

// JSON, tables and page of what the suite `exact` measured.
Result result_of(const ExactMeasurements& measurements, const Request& request);

}  // namespace graze::bench
