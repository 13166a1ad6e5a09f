#pragma once

#include <cstddef>
#include <vector>

#include "graze/sim/soft.h"

namespace graze::sim::soft {

// The states at the ends of the straight parts of one step, kept for Options::monitor.
class StepParts {
 public:
  // Without a monitor nothing is kept. `options` is not owned.
  explicit StepParts(const Options& options) : options_(options) {}

  // Appends the end of a part.
  void add(double time, const std::vector<Vec3>& positions, const std::vector<Vec3>& velocities) {
    if (options_.monitor) ends_.push_back({time, positions, velocities});
  }

  // Calls the monitor with all parts of a step from `start` to `end`, which is the end of the part
  // that was added last, or of the only part if none was added.
  void show(const State& start, const State& end) const {
    if (!options_.monitor) return;
    const State* before = &start;
    for (std::size_t i = 0; i + 1 < ends_.size(); before = &ends_[i++])
      options_.monitor(*before, ends_[i]);
    options_.monitor(*before, end);
  }

 private:
  const Options& options_;
  std::vector<State> ends_;
};

// Returns the report of a step that was not done.
inline Report report_of(Verdict verdict) {
  Report report;
  report.verdict = verdict;
  return report;
}

}  // namespace graze::sim::soft
