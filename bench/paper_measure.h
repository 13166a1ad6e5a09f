#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/area_inclusion_table.h"
#include "bench/paper_sets.h"
#include "bench/result_store.h"
#include "bench/suite.h"

namespace graze::bench {

// A row measured with an option that a figure or table varies.
struct VariedRow {
  double value;
  Row row;
};

// The scene's pairs by the shape of their cubic.
struct SceneShares {
  std::string set;
  std::size_t pairs = 0, degenerate = 0, zero_a = 0;
};

// Figure 7: how many queries ran out of checks, and the tolerance that they reached.
struct EarlyTermination {
  double max_checks;
  Row row;
  // The largest of the least tolerances, on a grid of four to the decade, with which those queries
  // are decided within the checks; 0 where all were decided, NaN where none of the grid is enough.
  double reached_tol = 0;
};

// All that the suite `paper` measures.
struct PaperMeasurements {
  std::vector<Row> table_1;               // and Figures 1 and 5
  std::vector<VariedRow> table_2;         // by separation
  std::vector<VariedRow> tolerances;      // Figure 6: tight_inclusion by distance_tol
  std::vector<EarlyTermination> budgets;  // Figure 7
  std::vector<VariedRow> separations;     // Figure 8
  AreaInclusionTable area_inclusion;      // Figure 1 of [Huh 2014]
  std::vector<SceneShares> shares;        // Table 2 of [Huh 2014]
  std::vector<Row> scenes;                // Table 2, Figures 7 and 8 of [Huh 2014]
  std::size_t recalled = 0;
};

inline constexpr std::size_t figure_sample = 20'000;  // queries of Figures 6 and 7
// Queries of each set with a separation, whose exact truth takes longest: 1000 in the default time.
std::size_t separation_sample(double seconds);

PaperMeasurements measure_paper(const PaperSets& sets, const Request& request,
                                const std::vector<const Method*>& methods,
                                const Progress& progress);

// The options of a method in Table 1: [Wang 2021] asks MSRF at a small separation.
Options table_1_options(const Method& method);

}  // namespace graze::bench
