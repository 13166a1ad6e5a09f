#include "graze/sim/monitor.h"

#include "graze/sim/inner_run.h"

namespace graze::sim {

FirstImpact first_crossing(const MovingMesh& moving, const PairOptions& pairs, const Run& run,
                           const PairStrategy* strategy, const MotionObserver& observer) {
  StepOptions options;
  options.pairs = pairs;
  options.strategy = strategy;
  options.observer = observer;
  return earliest_impact(moving, options, inner_run(run));
}

bool is_free(const MovingMesh& moving, const PairOptions& pairs, const Run& run,
             const PairStrategy* strategy, const MotionObserver& observer) {
  return first_crossing(moving, pairs, run, strategy, observer).impact.verdict ==
         Verdict::separated;
}

}  // namespace graze::sim
