#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "graze/core/impact.h"
#include "graze/core/query.h"
#include "graze/narrow/method.h"

namespace graze {

// The closest points of two primitives at one time.
//   vertex-face: (1-u-v) f0 + u f1 + v f2; edge-edge: (1-u) a0 + u a1 and (1-v) b0 + v b1;
//   point-edge: (1-u) a + u b. Parameters the primitives do not have are NaN.
struct ClosestPoints {
  double u, v;
  Vec3 normal;      // unit vector from the second primitive's point to the first's
  double distance;  // between the points
};

// In plain double arithmetic, the same bits on every machine: u and v always lie in the primitive,
// so up to the rounding of the coordinates at t (2^-50 of the largest) the distance is never below
// the true one; how far above depends on the shape (needles lose digits). Where several pairs are
// closest (parallel edges, and often in the max norm) one of them is returned. Where the primitives
// touch, the normal is that of their plane as contact_point.h says. t in [0, 1].
ClosestPoints closest_points(const VertexFace& query, double t);
ClosestPoints closest_points(const EdgeEdge& query, double t);
ClosestPoints closest_points(const PointEdge& query, double t);
ClosestPoints closest_points(const PointPoint& query, double t);

// Closest in the max norm; `distance` is in that norm, and `normal` points along a direction that
// separates best: no plane orthogonal to another leaves more room for a cube on it.
ClosestPoints closest_points_linf(const VertexFace& query, double t);
ClosestPoints closest_points_linf(const EdgeEdge& query, double t);
ClosestPoints closest_points_linf(const PointEdge& query, double t);
ClosestPoints closest_points_linf(const PointPoint& query, double t);

// The polygon of the differences y - x, y in the second primitive and x in the first, by its
// corners, which go around it. Its distance from 0 is that of the primitives.
struct DifferencePolygon {
  std::array<Vec3, 4> corners;
  std::size_t size = 0;  // 1: a point, 2: a segment, 3: a triangle, 4: a parallelogram
};

// The point of the polygon that is closest to 0 in a norm, and a direction that proves it: no
// corner e has direction.e < distance * |direction|, |direction| in the dual norm, up to rounding.
// `alpha` and `beta` are coordinates along the edges from the first corner to the second and to the
// last. Coordinates between 2^-100 and 2^100, or 0.
struct ClosestPoint {
  double alpha, beta, distance;
  Vec3 direction;
  Vec3 along;   // of the edge inside which the point lies; 0 if it does not, and in the max norm
  Vec3 normal;  // minus the direction, of length 1; 0 where there is none
};
ClosestPoint closest_to_zero(const DifferencePolygon& polygon, Norm norm);

// Sets u, v and normal of the contacts with these numbers, each as closest_points() or
// closest_points_linf() has them at its toi.
void locate_closest(std::span<const VertexFace> queries, std::span<const std::uint32_t> which,
                    Norm norm, std::span<Impact> impacts);
void locate_closest(std::span<const EdgeEdge> queries, std::span<const std::uint32_t> which,
                    Norm norm, std::span<Impact> impacts);
template <class Query>
void locate_closest(const Query& query, Norm norm, Impact& impact) {
  const ClosestPoints at =
      norm == Norm::l2 ? closest_points(query, impact.toi) : closest_points_linf(query, impact.toi);
  impact.u = at.u;
  impact.v = at.v;
  impact.normal = at.normal;
}

}  // namespace graze
