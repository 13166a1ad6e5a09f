#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "graze/broad/moving/pair_forecast.h"
#include "graze/spine/search_step.h"
#include "graze/step.h"

namespace graze {

// The shared state of candidates. Immutable except for `pierced`, which is computed on demand.
struct Candidates::State {
  std::shared_ptr<const Mesh> mesh;
  PairStatus status = PairStatus::invalid;
  double margin = 0;
  broad::SelectedPairs selection;
  broad::PairForecast forecast;  // covers no step unless the status is `complete`

  // Returns what the candidates prove about a step with these options. `keep` owns the piercings.
  spine::Known known(const MovingMesh& moving, const StepOptions& options, const Run& run,
                     std::shared_ptr<const std::vector<StepImpact>>& keep) const;

  mutable std::mutex mutex;
  // The edges that pierce faces at the start of the motion; null: not yet searched for.
  mutable std::shared_ptr<const std::vector<StepImpact>> pierced;
};

}  // namespace graze
