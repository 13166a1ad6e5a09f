#pragma once

#include <array>
#include <vector>

#include "graze/broad/moving/curves.h"
#include "graze/broad/moving/time_slabs.h"
#include "graze/step.h"

namespace graze {

// The control points of all vertices for a slab of time, as cubic Bézier curves.
//   (1) During the slab every vertex is on a curve whose control points are within `err` of the
//       given ones, in each coordinate. If overflow prevents that, all points are 0, so that no
//       pair is proven apart.
//   (2) If the slab begins at 0 and nothing overflows, `start` has the exact positions.
struct SlabCurves {
  std::vector<Vec3> start, end;
  std::array<std::vector<Vec3>, 2> inner;
  std::vector<double> err;

  SlabCurves(const CurvedMesh& moving, const broad::Slab& slab);

  broad::Curves curves() const { return {{inner[0], inner[1]}, err}; }  // a view
};

}  // namespace graze
