#pragma once

#include <filesystem>
#include <vector>

#include "bench/harness/suite.h"

namespace graze::bench {

// One run of a simulation of [Wang 2021] Section 7.
struct SimulationRow {
  const char* method;
  double distance_tol;  // NaN: the method has none
  std::size_t vertices = 0, steps = 0, crossing_frames = 0, iterations = 0;
  double seconds = 0;          // processor time of the steps
  double collision_share = 0;  // of the time: to find constraints, or to bound steps
  double published_seconds;    // of the whole simulation; NaN: not published
};

struct PaperSimulations {
  std::vector<SimulationRow> figure_9;   // a ring falls on a cone, active set
  std::vector<SimulationRow> figure_10;  // a figure falls on a plane, line search
  bool has_cow = false;                  // false: a generated figure falls in Figure 10
};

// Runs the scenes of Figures 9 and 10 with each method and tolerance on one thread. With a budget
// of 4 seconds or more the scenes and times are those of `graze sim torus --seconds 1` and of
// `graze sim squash --seconds 0.6`; with less, fewer steps. `data`: the folder of real data, or an
// empty path.
PaperSimulations measure_paper_simulations(const std::filesystem::path& data, double seconds,
                                           const Progress& progress);

// Adds both figures to the report, the tables and the measurements of a result.
void add_paper_simulations(const PaperSimulations& measured, Result& result);

}  // namespace graze::bench
