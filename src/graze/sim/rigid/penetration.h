#pragma once

#include <optional>

#include "graze/core/pose.h"
#include "graze/rigid/rigid_model.h"

namespace graze {

// Two triangles that share a point.
struct CrossingFaces {
  std::uint32_t a, b;
};

// Do the surfaces of two placed models share a point? Gives the first pair of faces found that do.
// Exact for the poses as stored: what doubles cannot separate with a margin is decided in integers.
// Needs valid models and finite poses. A body inside another, surfaces apart, is not found.
// Cost: all pairs of triangles whose balls overlap and whose nodes no direction separates.
std::optional<CrossingFaces> find_crossing(const RigidModel& a, const Pose& pose_a,
                                           const RigidModel& b, const Pose& pose_b);

}  // namespace graze
