#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "graze/impact.h"
#include "graze/query.h"
#include "graze/separation.h"

namespace graze::narrow {

// The polygon of the differences y - x, y in the second primitive and x in the first. `corners`
// lists its corners in order around it. Its distance from 0 is the distance of the primitives.
struct DifferencePolygon {
  std::array<Vec3, 4> corners;
  std::size_t size = 0;  // 1: a point, 2: a segment, 3: a triangle, 4: a parallelogram
};

// The point of a polygon that is closest to 0 in a norm, and a direction that proves it: up to
// rounding, no corner e has direction.e < distance * |direction|, |direction| in the dual norm.
// `alpha` and `beta` are coordinates along the edges from the first corner to the second and to the
// last. Coordinates are 0 or between 2^-100 and 2^100 in size.
struct ClosestPoint {
  double alpha, beta, distance;
  Vec3 direction;
  Vec3 along;   // direction of the edge that has the point inside; 0 if none, and in the max norm
  Vec3 normal;  // minus the direction, of length 1; 0 if there is no direction
};
// Returns the point of the polygon that is closest to 0.
ClosestPoint closest_to_zero(const DifferencePolygon& polygon, Norm norm);

// Sets u, v and normal of impacts[i], for every i in `which`, to those of closest_points() at its
// toi.
void locate_closest(std::span<const VertexFace> queries, std::span<const std::uint32_t> which,
                    Norm norm, std::span<Impact> impacts);
void locate_closest(std::span<const EdgeEdge> queries, std::span<const std::uint32_t> which,
                    Norm norm, std::span<Impact> impacts);
template <class Query>
void locate_closest(const Query& query, Norm norm, Impact& impact) {
  const ClosestPoints at = closest_points(query, impact.toi, norm);
  impact.u = at.u;
  impact.v = at.v;
  impact.normal = at.normal;
}

}  // namespace graze::narrow
