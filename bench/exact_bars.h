#pragma once

#include <string>
#include <vector>

#include "bench/bar.h"
#include "bench/exact_measure.h"

namespace graze::bench {

// All that the suite `exact` measures.
struct ExactMeasurements {
  std::vector<StreamResult> streams;
  std::vector<Row> rows;  // every method, `exact` among them, on every set
  std::vector<StageResult> integer_alone, stages;
  std::vector<ThreadsResult> threads;
  std::vector<std::string> missing;  // sets of real data that were not found
};

inline const std::vector<std::string> exact_scenes = {"armadillo-rollers", "cloth-ball",
                                                      "cloth-funnel"};
inline const std::vector<std::string> exact_handcrafted = {"erleben", "unit-tests"};

std::vector<Bar> bars_of(const ExactMeasurements& measurements);

// How many times as long as `exact` the method of a row takes; NaN where that is not known.
double ratio_to_exact(const ExactMeasurements& measurements, const Row& row);

}  // namespace graze::bench
