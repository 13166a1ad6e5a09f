#pragma once

#include <cstdint>
#include <vector>

#include "graze/polyhedron/move.h"
#include "graze/rigid/model/model.h"

namespace graze::polyhedron {

// The facets of a model as fans of triangles: exactly the same point set.
struct MotionSurface {
  rigid::Model triangles;
  std::vector<std::uint32_t> facet_of;  // the facet of each triangle
};

}  // namespace graze::polyhedron
