#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "graze/method.h"

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
  // Another method on the same queries.
  struct Rival {
    const Method* method;
    std::uint64_t hits = 0;
    // Queries on which `contact` and an odd number of contacts, counted by area_inclusion at the
    // last tolerance, do not agree.
    std::uint64_t not_odd = 0;
    double seconds = 0;
    std::uint64_t false_positives = 0, false_negatives = 0, late = 0;  // of the sample
  };
  std::uint64_t queries = 0, sample = 0, sample_hits = 0;  // sample_hits: of the oracle
  std::vector<Measured> rows;
  std::vector<Rival> rivals;
};

struct AreaInclusionSetup {
  std::uint64_t queries = 10'000'000, sample = 100'000, seed = 1;
  std::vector<double> tolerances = {1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13};
  std::vector<const Method*> rivals = {};
};

// Answers random vertex-face queries (family `random`, generated in blocks) with area_inclusion at
// every tolerance, and with the rivals. `progress` receives the finished fraction, in [0, 1]; where
// it returns false the run ends and the table covers the queries answered so far.
AreaInclusionTable measure_area_inclusion(const AreaInclusionSetup& setup,
                                          const std::function<bool(double)>& progress = {});

// Table 1 of [Huh 2014], 10 million random vertex-face queries: fastCCD on a 3.2 GHz Intel Core i5,
// in double precision. Figure 1 plots these times.
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
// The rivals of Table 1, and openCCD of Figure 8, which was measured on one million other queries,
// on a 3.4 GHz Intel Core i7 in single precision. exactCCD reports odd numbers of contacts only.
// The figure shows fastCCD 4.5 to 5.6 times faster than openCCD, by tolerance.
struct PublishedRival {
  const char *name, *method;  // method: the row that reads it as published
  std::uint64_t queries, hits;
  double seconds;
};
inline constexpr auto area_inclusion_published_rivals =
    std::to_array<PublishedRival>({{"exactCCD", "root_parity_published", 10'000'000, 749985, 37.4},
                                   {"safeCCD", "safe_cubic_published", 10'000'000, 918663, 13.6},
                                   {"openCCD", "open_cubic", 1'000'000, 77192, 8.704}});

}  // namespace graze::bench
