#pragma once

#include <array>

#include "graze/core/query.h"
#include "graze/narrow/closest_points.h"

namespace graze {

// The moving polygon of differences, as doubles know it: corner i goes from start[i] to end[i],
// each within 2^-53 of itself of the exact difference second[i] - first[i] of two corners.
struct MovingPolygon {
  std::size_t size = 0;
  std::array<Vec3, 4> start, end;
  std::array<std::array<const Vec3*, 2>, 4> first, second;  // at the start and the end of the step
  double largest = 0;                                       // of all coordinates of start and end

  DifferencePolygon at(double t) const;
};

MovingPolygon moving_polygon(const VertexFace& query);
MovingPolygon moving_polygon(const EdgeEdge& query);
MovingPolygon moving_polygon(const PointEdge& query);
MovingPolygon moving_polygon(const PointPoint& query);

// Whether one coordinate axis, or one of the directions x+-y, y+-z, z+-x, keeps them more than d
// apart during the whole step.
bool axis_separates(const MovingPolygon& polygon, double d);
bool diagonal_separates_l2(const MovingPolygon& polygon, double d);
bool diagonal_separates_linf(const MovingPolygon& polygon, double d);

// What floating point can prove about the first time within a distance.
struct Proven {
  enum class Result { nothing, separated, start, root };
  Result result = Result::nothing;
  // root: it lies within err of at + rest, strictly between the neighbours of the double `at`;
  // after it, before it, or (side = 0) too close to tell.
  double at = 0;
  int side = 0;
  std::size_t feature = 0;  // whose gap has that root: corners, then edges, then the face
};

// The floating-point stages after culling, in the Euclidean norm; docs/methods/separation.md has
// the argument. d > 0 and t_max in (0, 1].
Proven prove_l2(const MovingPolygon& polygon, double d, double t_max);

// Likewise in the max norm.
Proven prove_linf(const MovingPolygon& polygon, double d, double t_max);

}  // namespace graze
