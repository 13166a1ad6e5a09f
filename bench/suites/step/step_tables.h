#pragma once

#include <string>
#include <vector>

#include "bench/suites/step/step_results.h"
#include "terminal/report.h"

namespace graze::bench {

// Returns the tables of the results, without those that are empty; `device` names the GPU.
std::vector<report::Table> step_tables(const StepResults& all, const std::string& device);

}  // namespace graze::bench
