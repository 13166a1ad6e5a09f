#pragma once

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bench/suites/step/first_call.h"
#include "bench/suites/step/step_gpu.h"
#include "bench/suites/step/step_measure.h"

namespace graze::bench {

// The numbers of overlapping pairs that the scenes publish.
struct SceneRow {
  const char* name;
  std::uint64_t vertex_face, edge_edge;
};

// The results of one scene.
struct SceneResult {
  SceneRow row;
  StepTimes times;
  StartCheckTimes start_check;
  std::vector<TargetTimes> targets;
  std::vector<StrategyResult> strategies;
  StepTruth truth;
  std::optional<FirstCall> first_call;

  // Returns whether every strategy found the published numbers of pairs.
  bool counts_agree() const {
    return std::all_of(strategies.begin(), strategies.end(), [&](const StrategyResult& result) {
      return result.vertex_face == row.vertex_face && result.edge_edge == row.edge_edge;
    });
  }
  bool right() const {
    return counts_agree() && truth.wrong == 0 && truth.missed == 0 && truth.times_differ == 0 &&
           truth.first_agrees;
  }
};

// The first impact of one scene by all strategies.
struct StrategyRace {
  std::string scene;
  std::vector<EarliestByStrategy> strategies;

  // Returns the time of the default over the least time of the other strategies.
  double default_over_best() const {
    double best = strategies[1].seconds;
    for (std::size_t i = 2; i < strategies.size(); ++i)
      best = std::min(best, strategies[i].seconds);
    return strategies[0].seconds / best;
  }
};

// All results of the suite.
struct StepResults {
  std::vector<SceneResult> scenes;
  std::vector<StrategyRace> races;
  std::vector<ScalingResult> scaling;
  std::vector<SequenceResult> sequences;
  std::vector<GpuStep> gpu;  // empty without a GPU
  std::vector<std::string> missing;
};

// Returns k in time ~ pairs^k between two sizes.
double slope(const ScalingResult& a, const ScalingResult& b, double ScalingResult::*seconds);

nlohmann::ordered_json json_of(const StepResults& all);

}  // namespace graze::bench
