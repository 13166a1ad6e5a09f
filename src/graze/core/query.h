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

// A point and a segment: the point, then the segment's two ends. For rods, cables and 2D.
struct PointEdge {
  std::array<Vec3, 3> start, end;
};

// Two points.
struct PointPoint {
  std::array<Vec3, 2> start, end;
};

// The first two are 24 doubles in a row, so that batches can be read as plain arrays.
static_assert(sizeof(VertexFace) == 24 * sizeof(double));
static_assert(sizeof(EdgeEdge) == 24 * sizeof(double));

// The same question about a face that is no more than a segment or a point.
inline VertexFace as_vertex_face(const PointEdge& q) {
  return {{q.start[0], q.start[1], q.start[2], q.start[2]},
          {q.end[0], q.end[1], q.end[2], q.end[2]}};
}
inline VertexFace as_vertex_face(const PointPoint& q) {
  return {{q.start[0], q.start[1], q.start[1], q.start[1]},
          {q.end[0], q.end[1], q.end[1], q.end[1]}};
}

template <class Query>
bool is_finite(const Query& query) {
  for (const auto& corner : query.start)
    if (!corner.allFinite()) return false;
  for (const auto& corner : query.end)
    if (!corner.allFinite()) return false;
  return true;
}

}  // namespace graze
