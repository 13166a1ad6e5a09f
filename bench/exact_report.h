#pragma once

#include "bench/exact_bars.h"
#include "bench/suite.h"

namespace graze::bench {

// JSON, tables and page of what the suite `exact` measured. `where`: machine() before the run, so
// that its load is that of others.
Result result_of(const ExactMeasurements& measurements, const Request& request,
                 const nlohmann::ordered_json& where);

}  // namespace graze::bench
