#pragma once

#include <optional>

#include "graze/polyhedron/move/move_scratch.h"

namespace graze::polyhedron {

// Returns a facet of a piece of one model that lies inside another, closed model, and a facet of
// that above it: of the mover at the pose inside an obstacle, or of an obstacle inside the mover.
// Exact if the surfaces share no point; otherwise both answers are possible. The models must be ok.
// Cost: the facets of both for each connected piece within the other's box, few of them by
// integers.
std::optional<Contact> contained(std::span<const Obstacle> world, const Model& mover,
                                 const Pose& pose, Scratch::Data& data);

}  // namespace graze::polyhedron
