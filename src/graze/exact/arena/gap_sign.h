#pragma once

#include <cstddef>

#include "graze/query.h"

namespace graze::exact {

// Returns the exact sign of the gap of a feature of the polygon of differences at a double t in
// [0, 1]. The gap is positive iff the distance of the feature (of its line or plane) from 0 exceeds
// d. Features are numbered: the corners in their order around the polygon, the edges in the same
// order, the face. Cost: about a microsecond.
int gap_sign(const VertexFace& query, std::size_t feature, double d, double t);
int gap_sign(const EdgeEdge& query, std::size_t feature, double d, double t);
int gap_sign(const VertexEdge& query, std::size_t feature, double d, double t);
int gap_sign(const VertexVertex& query, std::size_t feature, double d, double t);

}  // namespace graze::exact
