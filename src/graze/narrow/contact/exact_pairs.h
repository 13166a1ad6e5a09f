#pragma once

#include <span>
#include <vector>

#include "graze/mesh.h"
#include "graze/method.h"

namespace graze::narrow {

// Appends the answers of exact_root() for pairs of any kind: Method::pairs of the exact method.
void exact_pairs(const MovingMesh& moving, Kind kind, std::span<const Pair> pairs,
                 const MethodOptions& options, bool culled, std::vector<IndexedImpact>& answers);

}  // namespace graze::narrow
