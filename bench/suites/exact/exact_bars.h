#pragma once

#include <string>
#include <vector>

#include "bench/harness/bar.h"
#include "bench/suites/exact/exact_measure.h"

namespace graze::bench {

// The measurements of the suite `exact`.
struct ExactMeasurements {
  std::vector<StreamResult> streams;
  std::vector<Row> rows;  // every method, including `exact`, on every set
  std::vector<StageResult> integer_alone, stages;
  std::vector<ThreadsResult> threads;
  std::vector<std::string> missing;  // sets of real data that were not found
};

inline const std::vector<std::string> exact_scenes = {"armadillo-rollers", "cloth-ball",
                                                      "cloth-funnel"};
inline const std::vector<std::string> exact_handcrafted = {"erleben", "unit-tests"};

std::vector<Bar> bars_of(const ExactMeasurements& measurements);

// Returns the time of the method of a row over the time of `exact`; NaN where unknown.
double ratio_to_exact(const ExactMeasurements& measurements, const Row& row);

}  // namespace graze::bench
