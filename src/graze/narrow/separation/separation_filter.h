#pragma once

#include <array>

#include "graze/narrow/separation/closest_points.h"
#include "graze/query.h"

namespace graze::narrow {

// The moving polygon of differences in doubles: corner i goes from start[i] to end[i]. Both are
// rounded from the exact difference second[i] - first[i], with a relative error of 2^-53 in each
// coordinate.
struct MovingPolygon {
  std::size_t size = 0;
  std::array<Vec3, 4> start, end;
  std::array<std::array<const Vec3*, 2>, 4> first, second;  // at the start and the end of the step
  double largest = 0;                                       // of all coordinates of start and end

  DifferencePolygon at(double t) const {
    DifferencePolygon polygon;
    polygon.size = size;
    for (std::size_t i = 0; i < size; ++i) polygon.corners[i] = (1 - t) * start[i] + t * end[i];
    return polygon;
  }

  std::size_t next(std::size_t i) const { return i + 1 == size ? 0 : i + 1; }
  // Return, exactly, whether coordinate k of the edge from corner i to the next is 0 at all times;
  // whether all its coordinates are; whether the polygon has no area because an edge is a point.
  bool is_zero(std::size_t i, int k) const;
  bool is_point(std::size_t i) const;
  bool is_flat() const;
};

MovingPolygon moving_polygon(const VertexFace& query);
MovingPolygon moving_polygon(const EdgeEdge& query);
MovingPolygon moving_polygon(const VertexEdge& query);
MovingPolygon moving_polygon(const VertexVertex& query);

// Return whether all corners are beyond a value, on one side, during the whole step: along one
// coordinate axis, or along x+-y, y+-z or z+-x.
bool axis_separates(const MovingPolygon& polygon, double beyond);
bool diagonal_separates(const MovingPolygon& polygon, double beyond);

// The result of the floating-point stage: bounds on the first time within a distance.
struct Proven {
  enum class Result { nothing, separated, start, root };
  Result result = Result::nothing;
  // root: it lies strictly between the neighbours of the double `at`: after `at` (side = 1), before
  // it (side = -1), or too close to decide (side = 0).
  double at = 0;
  int side = 0;
  std::size_t feature = 0;  // whose gap has that root: corners, then edges, then the face
};

// Run the floating-point stages after culling, in the Euclidean norm and in the max norm;
// docs/methods/separation.md has the argument. d > 0 and t_max in (0, 1]. If free > 0, the
// primitives are known to be further apart than d on [0, free].
Proven prove_l2(const MovingPolygon& polygon, double d, double free, double t_max);
Proven prove_linf(const MovingPolygon& polygon, double d, double free, double t_max);

namespace separation {

// A short piece of time, with the distance above d at all times up to lo. `t` is near the first
// time within d.
struct Bracket {
  double lo, hi, t;
};

// Return the root in the bracket if it is proven, else `nothing`. The distance at hi must be <= d.
Proven root_l2(const MovingPolygon& polygon, double d, const Bracket& bracket);
Proven root_linf(const MovingPolygon& polygon, double d, const Bracket& bracket);

// A direction that may separate a polygon from a cube around 0: a coordinate axis, the product of
// an axis and an edge, or the normal.
struct Direction {
  enum class Kind { axis, edge, normal } kind = Kind::axis;
  int axis = 0;          // axis: the axis; edge: the axis of the cross product with the edge
  std::size_t edge = 0;  // edge: from this corner to the next
  double side = 1;       // 1 or -1

  Vec3 at(const DifferencePolygon& polygon) const;  // without the side
};

// The direction that proves the largest distance in the max norm, that distance, and the corner
// that attains it, up to rounding.
struct BestDirection : Direction {
  double distance = 0;
  std::size_t corner = 0;
};
BestDirection best_direction(const DifferencePolygon& polygon);

// Returns true only if no direction separates the polygon at t from the cube [-d, d]^3.
bool is_within_linf(const MovingPolygon& polygon, double d, double t);

}  // namespace separation

}  // namespace graze::narrow
