#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "graze/rigid/motion.h"
#include "graze/rigid/rigid_model.h"

namespace graze {

// A polygon of a convex shape, counter-clockwise as seen from outside.
struct ShapeFace {
  std::vector<std::uint32_t> corners;
  Vec3 normal;
};

// A body's model, moved so that the centre of mass is its origin, and what it weighs.
struct RigidShape {
  RigidModel model;
  double mass = 0, radius = 0;  // radius: of the ball around the centre
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero(), inverse_inertia = inertia;
  Vec3 centre = Vec3::Zero();  // of mass, in the coordinates it was made from
  bool convex = false;
  std::vector<ShapeFace> faces;  // of a convex shape; a polygon has two, a particle none

  bool is_particle() const { return convex && faces.empty(); }
};

// A solid of uniform density; an open mesh weighs what its convex hull does.
RigidShape make_rigid_shape(std::span<const Vec3> vertices, std::span<const Face> faces,
                            double density = 1);

// A convex solid of polygons, counter-clockwise as seen from outside, at most 16 vertices.
RigidShape make_convex_shape(std::span<const Vec3> vertices,
                             std::span<const std::vector<std::uint32_t>> polygons,
                             double density = 1);
RigidShape make_box_shape(const Vec3& half_extent, double density = 1);

// A single convex polygon, solid from both sides: its mass is that of a sheet of some thickness.
RigidShape make_polygon_shape(std::span<const Vec3> corners, double thickness, double density = 1);

// A single point that does not spin.
RigidShape make_particle_shape(double mass);

// A box that the shape does not leave while it moves about its centre; rounded outwards.
Aabb placed_box(const RigidShape& shape, const Motion& motion);

}  // namespace graze
