#pragma once

#include <optional>

#include "graze/polyhedron/move/move_scratch.h"

namespace graze::polyhedron {

// Returns whether the facet `own` of the body at the pose and a facet of the world share a point,
// exactly. `frame` belongs to that pose, or to a translation that starts there.
bool facets_touch(const Pose& pose, const Kinematics<Interval>& frame, const Model& body,
                  const Facet& own, const Model& world, const Facet& facet, Scratch::Data& data);

// Returns two facets that share a point, if there are any: position_test() for models that are ok.
std::optional<Contact> touching(std::span<const Obstacle> world, const Model& mover,
                                const Pose& pose, Scratch::Data& data);

}  // namespace graze::polyhedron
