#pragma once

#include <cstdint>
#include <vector>

#include "graze/polyhedron/move.h"
#include "graze/rigid/body.h"

namespace graze::polyhedron {

// The facets of a model as fans of triangles, exactly the same point set, with the radius.
struct MotionSurface {
  rigid::Body body;
  std::vector<std::uint32_t> facet_of;  // the facet of each triangle
};

}  // namespace graze::polyhedron
