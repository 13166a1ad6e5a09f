#include "graze/sim/monitor.h"

namespace graze::sim {

bool is_free(const MovingMesh& moving, const PairOptions& pairs, const Run& run,
             const PairStrategy* strategy, const MotionObserver& observer) {
  StepOptions options;
  options.pairs = pairs;
  options.strategy = strategy;
  options.observer = observer;
  return earliest_impact(moving, options, run).impact.verdict == Verdict::separated;
}

}  // namespace graze::sim
