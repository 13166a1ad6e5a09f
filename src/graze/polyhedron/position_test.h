#pragma once

#include "graze/core/pose.h"
#include "graze/exact/arena_integer.h"
#include "graze/polyhedron/brush_model.h"

namespace graze::polyhedron {

// Whether a facet of the body at the pose and one of the world share a point; by integers alone.
bool exact_facets_touch(const Pose& pose, const BrushModel& body, const Facet& a,
                        const BrushModel& world, const Facet& b, exact::Arena& arena);

}  // namespace graze::polyhedron
