#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "graze/polyhedron/model.h"

namespace graze::polyhedron {

// The shape of a polygon of at least three different corners; every field is exact.
struct PolygonShape {
  Status status = Status::ok;            // or zero_area, not_convex
  int axis = 0, sign = 0;                // the projection along `axis` turns this way
  std::array<std::uint32_t, 3> plane{};  // three corners that span the plane, counterclockwise
  bool planar = false;                   // exactly
};
PolygonShape shape_of(std::span<const Vec3> vertices, const Polygon& polygon);

// Returns whether the corner b between the sides a-b and b-c fits a convex polygon whose projection
// turns to `sign`: the border turns that way at b or goes straight on.
bool is_convex_corner(const Vec3& a, const Vec3& b, const Vec3& c, int axis, int sign);

// Returns the largest distance of a corner from the mean plane, within rounding.
double unevenness(std::span<const Vec3> vertices, const Polygon& polygon);

// Divides a convex polygon into triangles whose projections all turn the way of the polygon.
std::vector<Polygon> ears(std::span<const Vec3> vertices, const Polygon& polygon, int axis);

// Joins neighbours of one plane whose union is convex, in the order of the list, until there are no
// more. Polygons that are not exactly planar are left as they are. Corners on a straight side are
// kept, since other polygons may end there.
std::vector<Polygon> merged(std::span<const Vec3> vertices, std::span<const Polygon> polygons);

}  // namespace graze::polyhedron
