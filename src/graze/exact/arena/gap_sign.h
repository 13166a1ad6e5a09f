#pragma once

#include <cstddef>

#include "graze/query.h"

namespace graze::exact {

// The sign of the gap of a feature of the polygon of differences at a double t in [0, 1]: positive
// where its distance from 0 (that of its line or plane) exceeds d. Features are numbered: corners
// in the order around the polygon, edges in that order, the face. Exact; about a microsecond.
int gap_sign(const VertexFace& query, std::size_t feature, double d, double t);
int gap_sign(const EdgeEdge& query, std::size_t feature, double d, double t);
int gap_sign(const VertexEdge& query, std::size_t feature, double d, double t);
int gap_sign(const VertexVertex& query, std::size_t feature, double d, double t);

}  // namespace graze::exact
