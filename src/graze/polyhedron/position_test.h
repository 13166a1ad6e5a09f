#pragma once

#include <optional>

#include "graze/polyhedron/move_scratch.h"

namespace graze::polyhedron {

// Whether the facet `own` of the body at the pose and one of the world share a point. `frame`: of
// that pose, or of a translation from it.
bool facets_touch(const Pose& pose, const Kinematics<Interval>& frame, const BrushModel& body,
                  const Facet& own, const BrushModel& world, const Facet& facet,
                  Scratch::Data& data);

// Two facets that do, if any: position_test() for models that are ok.
std::optional<Contact> touching(std::span<const Obstacle> world, const BrushModel& mover,
                                const Pose& pose, Scratch::Data& data);

}  // namespace graze::polyhedron
