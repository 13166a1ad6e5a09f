#pragma once

#include <array>
#include <cmath>

#include "graze/core/vec3.h"

namespace graze {

// A vertex and a triangle, each corner moving on a straight line at constant speed from its
// `start` (t = 0) to its `end` (t = 1). Order: vertex, then the face's three corners.
struct VertexFace {
  std::array<Vec3, 4> start, end;
};

// Two segments, likewise. Order: edge a's two ends, then edge b's two.
struct EdgeEdge {
  std::array<Vec3, 4> start, end;
};

// Both queries are 24 doubles in a row, so that batches can be read as plain arrays.
static_assert(sizeof(VertexFace) == 24 * sizeof(double));
static_assert(sizeof(EdgeEdge) == 24 * sizeof(double));

template <class Query>
bool is_finite(const Query& query) {
  for (const auto& corner : query.start)
    if (!corner.allFinite()) return false;
  for (const auto& corner : query.end)
    if (!corner.allFinite()) return false;
  return true;
}

}  // namespace graze
