#pragma once

#include "graze/rigid/advance.h"

namespace graze {

// Other ways to the first contact, to compare advance.h with. They take the same arguments, keep
// its promises (1), (2), (4) and answer `undecided` when max_checks distances were computed. None
// of them has a bound on its steps that is better than threshold over speed.
// impact.checks counts distances of whole models; iterations is the same.

// [Zhang 2006] Alg. 1: every pair of triangles by itself, and the least of their steps. Quadratic.
RigidImpact advance_naive(const RigidModel& a, const Motion& motion_a, const RigidModel& b,
                          const Motion& motion_b, const AdvanceOptions& options = {});

// [Zhang 2006] Alg. 2: the distance by the hull trees, a front kept from step to step, and the
// least of the steps of its pairs, each bounded along its own direction.
RigidImpact advance_hierarchical(const RigidModel& a, const Motion& motion_a, const RigidModel& b,
                                 const Motion& motion_b, const AdvanceOptions& options = {});

// The dynamic checker of [Schwarzer 2002]: an interval is free where the distances at its ends
// exceed the way of the fastest point, whatever its direction; else it is halved.
RigidImpact advance_undirected(const RigidModel& a, const Motion& motion_a, const RigidModel& b,
                               const Motion& motion_b, const AdvanceOptions& options = {});

}  // namespace graze
