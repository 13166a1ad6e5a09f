#include "graze/sim/rigid/rigid_shape.h"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <numeric>

#include "graze/sim/rigid/mass_properties.h"

namespace graze {
namespace {

RigidShape shape_of(const MassProperties& mass, double density, std::span<const Vec3> vertices,
                    std::vector<Face> faces) {
  RigidShape shape;
  shape.mass = density * mass.volume;
  shape.inertia = density * mass.inertia;
  shape.inverse_inertia = shape.inertia.inverse();
  shape.centre = mass.centre;
  std::vector<Vec3> moved;
  for (const Vec3& vertex : vertices) {
    moved.push_back(vertex - mass.centre);
    shape.radius = std::max(shape.radius, moved.back().norm());
  }
  shape.model = make_rigid_model(std::move(moved), std::move(faces));
  return shape;
}

std::vector<Face> fans(std::span<const std::vector<std::uint32_t>> polygons) {
  std::vector<Face> faces;
  for (const auto& polygon : polygons)
    for (std::size_t i = 2; i < polygon.size(); ++i)
      faces.push_back({polygon[0], polygon[i - 1], polygon[i]});
  return faces;
}

void add_faces(RigidShape& shape, std::span<const std::vector<std::uint32_t>> polygons) {
  shape.convex = true;
  const auto& vertices = shape.model.vertices;
  for (const auto& polygon : polygons) {
    Vec3 normal = Vec3::Zero();
    for (std::size_t i = 2; i < polygon.size(); ++i)
      normal += (vertices[polygon[i - 1]] - vertices[polygon[0]])
                    .cross(vertices[polygon[i]] - vertices[polygon[0]]);
    shape.faces.push_back({polygon, normal.normalized()});
  }
}

}  // namespace

RigidShape make_rigid_shape(std::span<const Vec3> vertices, std::span<const Face> faces,
                            double density) {
  return shape_of(mass_properties(vertices, faces), density, vertices,
                  {faces.begin(), faces.end()});
}

RigidShape make_convex_shape(std::span<const Vec3> vertices,
                             std::span<const std::vector<std::uint32_t>> polygons, double density) {
  const std::vector<Face> faces = fans(polygons);
  RigidShape shape = shape_of(solid_of(vertices, faces), density, vertices, faces);
  add_faces(shape, polygons);
  return shape;
}

RigidShape make_box_shape(const Vec3& half_extent, double density) {
  std::vector<Vec3> corners;
  for (int corner = 0; corner < 8; ++corner)
    corners.push_back(half_extent.cwiseProduct(
        Vec3((corner & 1) != 0 ? 1 : -1, (corner & 2) != 0 ? 1 : -1, (corner & 4) != 0 ? 1 : -1)));
  const std::vector<std::vector<std::uint32_t>> polygons = {
      {0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
  return make_convex_shape(corners, polygons, density);
}

RigidShape make_polygon_shape(std::span<const Vec3> corners, double thickness, double density) {
  const auto n = static_cast<std::uint32_t>(corners.size());
  const Vec3 normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalized();
  std::vector<std::uint32_t> front(n);
  std::iota(front.begin(), front.end(), 0u);
  const std::vector<std::uint32_t> back(front.rbegin(), front.rend());
  // The sheet that it weighs as.
  std::vector<Vec3> sheet;
  for (const double side : {0.5, -0.5})
    for (const Vec3& corner : corners) sheet.push_back(corner + side * thickness * normal);
  std::vector<std::vector<std::uint32_t>> closed = {front, back};
  for (std::uint32_t& corner : closed[1]) corner += n;
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t next = (i + 1) % n;
    closed.push_back({i, i + n, next + n, next});
  }
  const std::vector<std::vector<std::uint32_t>> sides = {front, back};
  RigidShape shape =
      shape_of(solid_of(sheet, fans(closed)), density, corners, fans(std::span(sides).first(1)));
  add_faces(shape, sides);
  return shape;
}

RigidShape make_particle_shape(double mass) {
  RigidShape shape;
  shape.mass = mass;
  shape.convex = true;
  shape.model = make_rigid_model({Vec3::Zero()}, {{0, 0, 0}});
  return shape;
}

// The box at the start, moved; and no point turns further from its place than the arc, or twice its
// distance from the centre.
Aabb placed_box(const RigidShape& shape, const Motion& motion) {
  if (!shape.convex) return swept_box(motion, Vec3::Zero(), shape.radius);
  const Placement at = placement_at(motion, 0);
  Aabb box{at * shape.model.vertices[0], at * shape.model.vertices[0]};
  for (const Vec3& vertex : shape.model.vertices) {
    const Vec3 p = at * vertex;
    box.include({p, p});
  }
  box.include({box.lo + motion.velocity, box.hi + motion.velocity});
  const double swing = std::min(motion.rotation.norm(), 2.0) * shape.radius * (1 + 0x1p-40) +
                       2 * placement_error(motion, shape.radius);
  box.lo -= Vec3::Constant(swing);
  box.hi += Vec3::Constant(swing);
  return box;
}

}  // namespace graze
