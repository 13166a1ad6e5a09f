#pragma once

#include "graze/rigid/advance.h"

namespace graze {

// The first contact in the manner of [Redon 2002] (CONTACT), to compare advance.h with: boxes that
// turn with their bodies are tested for separating axes in interval arithmetic over a piece of
// time; triangles that no axis separates cut the piece in half. Keeps promises (1), (2), (4) of
// advance.h for every Motion, screws among them. impact.checks counts pairs of boxes; iterations,
// pieces of time.
// DEVIATION: the boxes are those around the polytopes of the hull tree along the axes of the body,
// and pairs of triangles are decided by their distance in the middle and the way of their fastest
// point.
RigidImpact advance_intervals(const RigidModel& a, const Motion& motion_a, const RigidModel& b,
                              const Motion& motion_b, const AdvanceOptions& options = {});

}  // namespace graze
