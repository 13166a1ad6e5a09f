#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/harness/bar.h"
#include "bench/suites/rigid/rigid_scenarios.h"
#include "terminal/report.h"

namespace graze::bench {

// The preparation of one model; processor times of one thread, in seconds.
struct PreparationRow {
  std::string model;
  std::size_t triangles = 0;
  double ready = 0;      // make_body(), median of five
  double all_nodes = 0;  // bounding every node of the tree, which queries do as they visit them
  std::vector<double> peers;   // the trees of rigid_peers(), medians of five
  std::optional<double> most;  // the bar for `ready`
};

// Measures the bunny, if the scenarios have it, and smooth generated surfaces.
std::vector<PreparationRow> measure_preparation(const std::vector<RigidScenario>& scenarios);

report::Table preparation_table(const std::vector<PreparationRow>& rows);
std::vector<Bar> preparation_bars(const std::vector<PreparationRow>& rows);

}  // namespace graze::bench
