#pragma once

#include "graze/step.h"

namespace graze::sim {

// The monitor of all simulations: returns whether the motion between two stored frames is free of
// contact, decided by `exact` on every pair of features. `strategy` null: the default of
// earliest_impact(). `observer` is called with the motion and its pairs.
bool is_free(const MovingMesh& moving, const PairOptions& pairs, const Run& run,
             const PairStrategy* strategy = nullptr, const MotionObserver& observer = {});

}  // namespace graze::sim
