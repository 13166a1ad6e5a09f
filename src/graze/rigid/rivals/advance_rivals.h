#pragma once

#include "graze/rigid/model_advance.h"

namespace graze::rigid {

// Published methods to compare advance() with. They take the same arguments and keep promises (1),
// (2) and (4) of advance.h. The verdict is `undecided` after max_checks distance computations. Each
// may need as many steps as speed over threshold. impact.checks and iterations both count distance
// computations of whole models.

// [Zhang 2006] Alg. 2: computes the distance by the hull trees, keeps the front from step to step,
// and advances by the least step of its pairs, each bounded along its own direction.
BodyImpact advance_hierarchical(const Model& a, const Motion& motion_a, const Model& b,
                                const Motion& motion_b, const StoppableOptions& options = {});

// The dynamic checker of [Schwarzer 2002]: an interval of time is free if the sum of the distances
// at its ends exceeds the path length of the fastest point in any direction; otherwise the interval
// is halved.
BodyImpact advance_undirected(const Model& a, const Motion& motion_a, const Model& b,
                              const Motion& motion_b, const StoppableOptions& options = {});

}  // namespace graze::rigid
