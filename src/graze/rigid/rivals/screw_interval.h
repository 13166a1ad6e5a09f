#pragma once

#include "graze/rigid/model_advance.h"

namespace graze::rigid {

// The method of [Redon 2002] (CONTACT), to compare advance() with. Oriented boxes that rotate with
// their bodies are tested for separating axes in interval arithmetic over a piece of time. A pair
// that no axis separates is divided, in time or into its parts, and pairs are tested in the order
// of time. Keeps promises (1), (2) and (4) of advance.h for every Motion, screws included.
// impact.checks counts pairs of boxes, iterations counts pieces of time that were halved.
// DEVIATION: the boxes enclose the polytopes of the hull tree along their principal axes, and a
// pair of triangles is decided by its distance in the middle of the piece and the path length of
// its fastest point.
BodyImpact advance_intervals(const Model& a, const Motion& motion_a, const Model& b,
                             const Motion& motion_b, const StoppableOptions& options = {});

}  // namespace graze::rigid
