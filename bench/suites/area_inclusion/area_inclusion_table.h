#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace graze::bench {

// One column of Table 1 of [Huh 2014].
struct AreaInclusionRow {
  double tolerance = 0;         // E_tol
  std::uint64_t odd_hits = 0;   // queries with an odd number of contacts in the step
  std::uint64_t even_hits = 0;  // with a positive even number
  double seconds = 0;           // processor time of one thread, generation of the queries excluded

  std::uint64_t hits() const { return odd_hits + even_hits; }
};

struct AreaInclusionTable {
  struct Measured : AreaInclusionRow {
    // Compared with the oracle on the first `sample` queries.
    std::uint64_t false_positives = 0, false_negatives = 0, late = 0;
  };
  std::uint64_t queries = 0, sample = 0, sample_hits = 0;  // sample_hits: of the oracle
  std::vector<Measured> rows;
};

struct AreaInclusionSetup {
  std::uint64_t queries = 10'000'000, sample = 100'000, seed = 1;
  std::vector<double> tolerances = {1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13};
};

// Answers random vertex-face queries (family `random`, generated in blocks) with area_inclusion at
// every tolerance. `progress` receives the finished fraction, in [0, 1]; where it returns false the
// run ends and the table covers the queries answered so far.
AreaInclusionTable measure_area_inclusion(const AreaInclusionSetup& setup,
                                          const std::function<bool(double)>& progress = {});

// Table 1 of [Huh 2014], 10 million random vertex-face queries: fastCCD on a 3.2 GHz Intel Core i5,
// in double precision. exactCCD reported 749,985 hits (odd ones only) in 37.4 s, safeCCD 918,663 in
// 13.6 s. Figure 1 plots these times.
inline constexpr auto area_inclusion_published = std::to_array<AreaInclusionRow>({
    {1e-6, 750127, 22790, 7.85},
    {1e-7, 750005, 22779, 7.9},
    {1e-8, 749987, 22779, 8.396},
    {1e-9, 749985, 22779, 8.6},
    {1e-10, 749985, 22779, 9},
    {1e-11, 749985, 22779, 9.4},
    {1e-12, 749985, 22779, 9.8},
    {1e-13, 749985, 22779, 10},
});
struct PublishedRival {
  const char* name;
  std::uint64_t hits;
  double seconds;
};
inline constexpr auto area_inclusion_published_rivals =
    std::to_array<PublishedRival>({{"exactCCD", 749985, 37.4}, {"safeCCD", 918663, 13.6}});

}  // namespace graze::bench
