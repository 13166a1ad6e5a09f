#include "graze/sim/rigid/rigid_shape.h"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "graze/rigid/model/mass_properties.h"

namespace graze::sim::rigid {
namespace {

using graze::rigid::MassProperties;
using Polygons = std::span<const std::vector<std::uint32_t>>;

std::shared_ptr<ShapeData> broken(std::string problem) {
  auto shape = std::make_shared<ShapeData>();
  shape->problem = std::move(problem);
  return shape;
}

// Returns the reason why no mass can be computed from this mesh; empty if there is none.
std::string problem_of(std::span<const Vec3> vertices, std::span<const Face> faces,
                       double density) {
  if (!(std::isfinite(density) && density > 0)) return "has a density that is not above 0";
  if (faces.empty()) return "has no triangles";
  for (std::size_t i = 0; i < vertices.size(); ++i)
    if (!vertices[i].allFinite()) return "vertex " + std::to_string(i) + " is not finite";
  for (std::size_t i = 0; i < faces.size(); ++i)
    for (const std::uint32_t vertex : faces[i])
      if (vertex >= vertices.size())
        return "face " + std::to_string(i) + " names a vertex that is not there";
  return {};
}

std::shared_ptr<ShapeData> shape_of(const MassProperties& mass, double density,
                                    std::span<const Vec3> vertices, std::vector<Face> faces) {
  auto shape = std::make_shared<ShapeData>();
  shape->mass = density * mass.volume;
  shape->inertia = density * mass.inertia;
  shape->inverse_inertia = shape->inertia.inverse();
  shape->centre = mass.centre;
  std::vector<Vec3> moved;
  for (const Vec3& vertex : vertices) {
    moved.push_back(vertex - mass.centre);
    shape->radius = std::max(shape->radius, moved.back().norm());
  }
  shape->model = graze::rigid::make_model(std::move(moved), std::move(faces));
  if (!shape->model.valid())
    shape->problem = shape->model.problem();
  else if (!(shape->mass > 0))
    shape->problem = "has no volume";
  else if (!std::isfinite(shape->mass) || !shape->inertia.allFinite() ||
           !shape->inverse_inertia.allFinite())
    shape->problem = "has a mass or an inertia beyond the range of doubles";
  return shape;
}

std::vector<Face> fans(Polygons polygons) {
  std::vector<Face> faces;
  for (const auto& polygon : polygons)
    for (std::size_t i = 2; i < polygon.size(); ++i)
      faces.push_back({polygon[0], polygon[i - 1], polygon[i]});
  return faces;
}

void add_faces(ShapeData& shape, Polygons polygons) {
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

bool Shape::ok() const {
  return data_->problem.empty();
}
const std::string& Shape::problem() const {
  return data_->problem;
}
std::span<const Vec3> Shape::vertices() const {
  return data_->model.vertices;
}
std::span<const Face> Shape::faces() const {
  return data_->model.faces;
}
double Shape::mass() const {
  return data_->mass;
}
const Eigen::Matrix3d& Shape::inertia() const {
  return data_->inertia;
}
const Vec3& Shape::centre() const {
  return data_->centre;
}
double Shape::radius() const {
  return data_->radius;
}

Shape make_mesh_shape(std::span<const Vec3> vertices, std::span<const Face> faces, double density) {
  if (std::string problem = problem_of(vertices, faces, density); !problem.empty())
    return Shape(broken(std::move(problem)));
  return Shape(shape_of(graze::rigid::mass_properties(vertices, faces), density, vertices,
                        {faces.begin(), faces.end()}));
}

Shape make_convex_shape(std::span<const Vec3> vertices, Polygons polygons, double density) {
  constexpr std::size_t most = 16;  // vertices of one node of a hull tree
  if (vertices.size() > most) return Shape(broken("has more than 16 vertices"));
  const std::vector<Face> faces = fans(polygons);
  if (std::string problem = problem_of(vertices, faces, density); !problem.empty())
    return Shape(broken(std::move(problem)));
  const auto shape = shape_of(graze::rigid::solid_of(vertices, faces), density, vertices, faces);
  add_faces(*shape, polygons);
  return Shape(shape);
}

Shape make_box_shape(const Vec3& half_extent, double density) {
  if (!(half_extent.minCoeff() > 0)) return Shape(broken("has a half extent that is not above 0"));
  std::vector<Vec3> corners;
  for (int corner = 0; corner < 8; ++corner)
    corners.push_back(half_extent.cwiseProduct(
        Vec3((corner & 1) != 0 ? 1 : -1, (corner & 2) != 0 ? 1 : -1, (corner & 4) != 0 ? 1 : -1)));
  const std::vector<std::vector<std::uint32_t>> polygons = {
      {0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
  return make_convex_shape(corners, polygons, density);
}

Shape make_polygon_shape(std::span<const Vec3> corners, double thickness, double density) {
  if (corners.size() < 3 || corners.size() > 16)
    return Shape(broken("has fewer than 3 or more than 16 corners"));
  const auto n = static_cast<std::uint32_t>(corners.size());
  const Vec3 normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalized();
  std::vector<std::uint32_t> front(n);
  std::iota(front.begin(), front.end(), 0u);
  const std::vector<std::uint32_t> back(front.rbegin(), front.rend());
  // The sheet whose mass and inertia the polygon gets.
  std::vector<Vec3> sheet;
  for (const double side : {0.5, -0.5})
    for (const Vec3& corner : corners) sheet.push_back(corner + side * thickness * normal);
  std::vector<std::vector<std::uint32_t>> closed = {front, back};
  for (std::uint32_t& corner : closed[1]) corner += n;
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t next = (i + 1) % n;
    closed.push_back({i, i + n, next + n, next});
  }
  const std::vector<Face> sheet_faces = fans(closed);
  if (std::string problem = problem_of(sheet, sheet_faces, density); !problem.empty())
    return Shape(broken(std::move(problem)));
  const std::vector<std::vector<std::uint32_t>> sides = {front, back};
  const auto shape = shape_of(graze::rigid::solid_of(sheet, sheet_faces), density, corners,
                              fans(std::span(sides).first(1)));
  add_faces(*shape, sides);
  return Shape(shape);
}

Shape make_particle_shape(double mass) {
  if (!(std::isfinite(mass) && mass > 0)) return Shape(broken("has a mass that is not above 0"));
  auto shape = std::make_shared<ShapeData>();
  shape->mass = mass;
  shape->convex = true;
  shape->model = graze::rigid::make_model({Vec3::Zero()}, {{0, 0, 0}});
  return Shape(shape);
}

const polyhedron::Obstacle& ShapeData::surface() const {
  std::call_once(once_, [&] {
    if (is_particle()) {
      surface_ = polyhedron::make_obstacle(polyhedron::model_of_point(Vec3::Zero()));
      return;
    }
    polyhedron::ModelOptions options;
    std::vector<polyhedron::Polygon> polygons;
    if (convex) {
      for (const ShapeFace& face : faces) polygons.push_back(face.corners);
      if (polygons.size() == 2) polygons.pop_back();  // the other side of a single polygon
    } else {
      options.accept_soup = options.drop_degenerate = true;
      for (const Face& face : model.faces) polygons.push_back({face[0], face[1], face[2]});
    }
    surface_ = polyhedron::make_obstacle(polyhedron::make_model(model.vertices, polygons, options));
  });
  return surface_;
}

// The box at the start, and the same box translated. A rotation about the centre moves no point
// further than its arc, nor further than twice its distance from the centre.
Aabb placed_box(const ShapeData& shape, const graze::rigid::Motion& motion) {
  if (!shape.convex) return swept_box(motion, Vec3::Zero(), shape.radius);
  const graze::rigid::Placement at = placement_at(motion, 0);
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

}  // namespace graze::sim::rigid
