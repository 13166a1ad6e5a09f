#pragma once

#include <vector>

#include "graze/polyhedron/model/polygon_tree.h"
#include "graze/polyhedron/move.h"

namespace graze::polyhedron {

// The plane of a facet with error bounds. For any point x, the computed value normal.x - offset
// differs from a positive multiple of the height of x by at most err_per_length |x|_1 + err.
struct PlaneBound {
  Vec3 normal;
  double offset, err_per_length, err;
};

// Finds the facets of an obstacle.
struct FacetIndex {
  PolygonTree tree;                // of the boxes of the facets
  std::vector<PlaneBound> planes;  // per entry of the tree, so that those of a cell are contiguous
};

}  // namespace graze::polyhedron
