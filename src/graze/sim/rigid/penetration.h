#pragma once

#include <optional>

#include "graze/pose.h"
#include "graze/rigid/model/model.h"

namespace graze::sim::rigid {

// Two triangles that share a point: a face of each model.
struct CrossingFaces {
  std::uint32_t a, b;
};

// Returns a pair of faces of two placed models that share a point; none if the surfaces are
// disjoint. Exact for the poses as stored: pairs that doubles cannot separate with a margin are
// decided in integers. Requires valid models and finite poses. A body inside another whose surfaces
// are apart is not found.
// Cost: the pairs of triangles whose bounding balls overlap and whose tree nodes are not separated.
std::optional<CrossingFaces> find_crossing(const graze::rigid::Model& a, const Pose& pose_a,
                                           const graze::rigid::Model& b, const Pose& pose_b);

}  // namespace graze::sim::rigid
