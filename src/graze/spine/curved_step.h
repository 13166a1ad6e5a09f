#pragma once

#include <vector>

#include "graze/broad/moving/time_slabs.h"
#include "graze/step.h"

namespace graze {

// The straight motion of all vertices between the points of their curves at the two ends of a slab,
// and its distance from the curves.
//   (1) During the slab every coordinate of a vertex is within `distance` of the straight motion at
//       the same time. If overflow prevents that, all vertices are at 0 and the distance is 0, so
//       that no pair is proven apart.
struct Chords {
  std::vector<Vec3> start, end;
  double distance = 0;

  Chords(const CurvedMesh& moving, const broad::Slab& slab);
};

}  // namespace graze
