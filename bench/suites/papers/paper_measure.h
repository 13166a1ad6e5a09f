#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/harness/result_store.h"
#include "bench/harness/suite.h"
#include "bench/suites/area_inclusion/area_inclusion_table.h"
#include "bench/suites/papers/paper_sets.h"

namespace graze::bench {

// A row measured with an option that a figure or table varies.
struct VariedRow {
  double value;
  Row row;
};

// The number of pairs of a scene by the shape of their cubic.
struct SceneShares {
  std::string set;
  std::size_t pairs = 0, degenerate = 0, zero_a = 0;
};

// Figure 7: the queries that spent max_checks, and the tolerance that they reached.
struct EarlyTermination {
  double max_checks;  // 0: no limit
  Row row;
  // Each such query has a least tolerance, among four per decade, with which it is decided within
  // the checks. This is the largest of them; 0 if all queries were decided, NaN if no tolerance
  // suffices for some query.
  double reached_tol = 0;
};

// The measurements of the suite `paper`.
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
// Returns the number of queries of each set with a separation, whose exact truth takes longest:
// 1000 with the default of 4 seconds.
std::size_t separation_sample(double seconds);

PaperMeasurements measure_paper(const PaperSets& sets, const Request& request,
                                const std::vector<const Method*>& methods,
                                const Progress& progress);

// Returns the options of a method in Table 1: [Wang 2021] measures MSRF with a small separation.
Options table_1_options(const Method& method);

}  // namespace graze::bench
