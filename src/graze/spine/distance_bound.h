#pragma once

#include <span>

#include "graze/mesh.h"

namespace graze::spine {

// Returns a lower bound >= 0 on the Euclidean distance of the two features of a pair at the given
// positions.
//   (1) Proven: never above the exact distance of the features.
//   (2) Without rounding it would be the distance, also if the features are close to each other in
//       comparison with their size and the nearest points are inside a face or two edges.
// Precondition: the kind is not edge_face.
double distance_bound(const Mesh& mesh, std::span<const Vec3> positions, Kind kind,
                      const Pair& pair);

}  // namespace graze::spine
