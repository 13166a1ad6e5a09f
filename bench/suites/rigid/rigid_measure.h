#pragma once

#include <string>
#include <vector>

#include "bench/harness/bar.h"
#include "bench/suites/rigid/rigid_scenarios.h"
#include "graze/impact.h"

namespace graze::bench {

struct ShotResult {
  double seconds;
  Verdict verdict;
  double toi;
  double iterations;
};

// The results of one method on the shots of a scenario.
struct RigidMethodResult {
  std::string method;
  double prepare_seconds = 0;
  std::vector<ShotResult> shots;
  std::size_t contacts = 0, undecided = 0;
  std::size_t missed = 0, late = 0;  // compared with the time refined to the accuracy of doubles
  double mean = 0, median = 0, p95 = 0, max = 0;  // seconds
  double translation_mean = RigidScenario::unknown;
  double iterations = 0;            // mean
  double early = 0, early_max = 0;  // toi before the refined time, mean over contacts and largest
};

struct RigidScenarioResult {
  std::string name, figure;
  double published_ms = RigidScenario::unknown;
  std::size_t triangles_a = 0, triangles_b = 0;
  std::size_t pieces_a = 0, pieces_b = 0;
  double bytes = 0;  // memory of both prepared models; of one where they are the same
  RigidMethodResult ours;
  std::vector<RigidMethodResult> peers;
  // The other methods of `graze rigid --method`: `fast` on all shots, the others on the first.
  std::vector<RigidMethodResult> variants;
  // [Zhang 2006] Alg. 1 on convex pieces: as in the paper, then with one part exchanged each. Empty
  // where the models have more than 1.2 million pairs of pieces.
  std::vector<RigidMethodResult> ablation;
};

// Measures each shot three times and keeps the median; processor time of one thread. The refined
// times are those of our method with smallest_threshold.
RigidScenarioResult measure_rigid(const RigidScenario& scenario);

// Returns the ratio of the mean times of two methods over the first shots, as many as both were
// measured on; NaN if there is none.
double mean_ratio(const RigidMethodResult& method, const RigidMethodResult& other);

std::vector<Bar> rigid_bars(const std::vector<RigidScenarioResult>& results);

}  // namespace graze::bench
