#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "graze/polyhedron/brush_model.h"

namespace graze::polyhedron {

// What is known of one polygon of at least three different corners; all of it exactly.
struct PolygonShape {
  ModelStatus status = ModelStatus::ok;  // or zero_area, not_convex
  int axis = 0, sign = 0;                // its shadow along the axis turns to this side
  std::array<std::uint32_t, 3> plane{};  // corners that span a plane, counter-clockwise
  bool planar = false;                   // to the last bit
};
PolygonShape shape_of(std::span<const Vec3> vertices, const Polygon& polygon);

// Whether a corner at b, between sides a-b and b-c, is one of a convex polygon whose shadow turns
// to `sign`: it turns there or goes straight on.
bool is_convex_corner(const Vec3& a, const Vec3& b, const Vec3& c, int axis, int sign);

// The largest distance of a corner from the mean plane; within rounding.
double unevenness(std::span<const Vec3> vertices, const Polygon& polygon);

// Triangles whose shadows all turn to the polygon's side, for a convex polygon.
std::vector<Polygon> ears(std::span<const Vec3> vertices, const Polygon& polygon, int axis);

// Joins neighbours that lie in one plane and are convex together, in the order of the list, as long
// as there are any. All are planar to the last bit or are left alone. Corners on a straight side
// stay, since neighbours may end there.
std::vector<Polygon> merged(std::span<const Vec3> vertices, std::span<const Polygon> polygons);

}  // namespace graze::polyhedron
