#pragma once

#include "graze/step.h"

namespace graze::sim {

// Returns the first contact of the motion between two stored frames, decided by `exact` on every
// pair of features. `strategy` null: the default of earliest_impact(). `observer` is called with
// the motion and its pairs. run.progress is not called.
FirstImpact first_crossing(const MovingMesh& moving, const PairOptions& pairs, const Run& run,
                           const PairStrategy* strategy = nullptr,
                           const MotionObserver& observer = {});

// Returns whether that motion is proven free of contact: false also if the search was stopped.
bool is_free(const MovingMesh& moving, const PairOptions& pairs, const Run& run,
             const PairStrategy* strategy = nullptr, const MotionObserver& observer = {});

}  // namespace graze::sim
