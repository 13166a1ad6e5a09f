#pragma once

#include <cstddef>

#include "graze/generate/models.h"

namespace graze::generate {

// Returns the model with about `faces` triangles or the fewest that can be reached, by contracting
// its shortest edges to their middles.
//   (1) An edge is contracted only if neither of its ends is on a border, exactly two vertices are
//       neighbours of both ends, these two keep at least three faces, and no normal of a remaining
//       face turns by more than about 78 degrees. So a closed manifold stays one of the same genus,
//       and open borders stay as they are.
//   (2) The result depends on the arguments alone. Vertices that no face uses are left out.
// Cost: n log n.
SurfaceModel decimated(const SurfaceModel& model, std::size_t faces);

}  // namespace graze::generate
