#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "graze/core/aabb.h"
#include "graze/core/mesh.h"
#include "graze/core/pose.h"
#include "graze/core/vec3.h"

namespace graze::polyhedron {

enum class ModelStatus : std::uint8_t {
  ok,
  empty,           // no polygon and no point
  not_finite,      // a coordinate is NaN or infinite
  bad_corner,      // a corner that is no vertex, a corner twice, or a polygon of two corners
  zero_area,       // all corners on a line
  not_planar,      // a corner further from the polygon's plane than planar_tol allows
  not_convex,      // turns to both sides, back, or more than once around
  duplicate_edge,  // two polygons run along an edge in the same direction
};
const char* name(ModelStatus status);

struct ModelOptions {
  // How far a corner may be from the plane of its polygon, as a share of the largest side of the
  // model's box. What is not planar to the last bit is a fan of triangles all the same.
  double planar_tol = 1e-5;
  bool merge_coplanar = false;  // neighbours in one plane into convex polygons, greedily
  bool accept_soup = false;     // duplicate edges are no error: no one side of the surface
};

inline constexpr std::uint32_t no_facet = 0xffffffff;

// How the facets at an edge lie. From the front of the surface:
enum class EdgeKind : std::uint8_t {
  open,      // one facet only, or more than two, or two that disagree about the front
  convex,    // a ridge
  flat,      // inside a plane part of the surface: facets in one plane, on both sides of the edge
  internal,  // a groove: its facets face each other ([van Waveren 2005] Fig. 5)
};

struct ModelEdge {
  std::uint32_t a, b;       // vertices, a < b
  std::uint32_t facets[2];  // no_facet where there is none; of more than two the first two
  EdgeKind kind;
};

// A convex polygon, planar to the last bit; or a single point (one corner, no sides). Corners
// counter-clockwise as seen from the front, side i from corner i to the next one.
struct Facet {
  std::uint32_t first, count;  // in corners and sides
  std::uint32_t polygon;       // that it is, or is a triangle of the fan of
  std::uint32_t plane[3];      // three vertices that span its plane, counter-clockwise
  // What is examined together with this facet and no other one: true vertices and edges.
  std::uint32_t first_vertex, vertex_count, first_edge, edge_count;
  int axis;       // along which its shadow is about the largest; of the normal there the
  int axis_sign;  // sign, exactly. Of a point: -1 and 0
};

// A polyhedron, or any surface or soup of convex polygons, and single points. Vertices and edges
// are stored once. Immutable after it is built; any number of threads may use it.
//   (1) The point set it stands for is the union of its facets, closed, of the doubles given.
//       A polygon that is exactly planar is one facet. One that is planar within planar_tol only is
//       a fan of triangles around its first corner (where three corners on a line leave it none,
//       other ears are cut off).
//   (2) Facets that share a side share its edge, whatever rounding did to them: no gaps.
//   (3) A true edge is one that is not flat, a true vertex one that has an edge that is not flat or
//       no edge at all. Each is owned by the first of its facets.
struct BrushModel {
  std::vector<Vec3> vertices;
  std::vector<ModelEdge> edges;
  std::vector<Facet> facets;
  std::vector<std::uint32_t> corners, sides;               // of facets: vertices and edges
  std::vector<std::uint32_t> owned_vertices, owned_edges;  // of facets
  std::vector<Aabb> boxes;                                 // of facets
  std::vector<std::uint8_t> hidden;  // of vertices: 1 where all its edges are internal or flat
  Aabb box = {Vec3::Zero(), Vec3::Zero()};
  std::vector<std::vector<std::uint32_t>> polygons;  // as given or merged, of vertices
  bool closed = false;  // every edge has a facet on both sides that agree about the front

  ModelStatus status = ModelStatus::empty;
  std::size_t culprit = 0;  // the polygon that the status is about

  bool ok() const { return status == ModelStatus::ok; }
  bool is_point() const { return facets.size() == 1 && facets[0].count == 1; }

  std::span<const std::uint32_t> corners_of(const Facet& f) const {
    return {corners.data() + f.first, f.count};
  }
  std::span<const std::uint32_t> sides_of(const Facet& f) const {
    return {sides.data() + f.first, f.count == 1 ? 0 : f.count};
  }
  std::span<const std::uint32_t> vertices_of(const Facet& f) const {
    return {owned_vertices.data() + f.first_vertex, f.vertex_count};
  }
  std::span<const std::uint32_t> edges_of(const Facet& f) const {
    return {owned_edges.data() + f.first_edge, f.edge_count};
  }
  bool is_closed() const { return closed; }
};

using Polygon = std::vector<std::uint32_t>;

// A polygon of one corner is a point. Vertices of equal coordinates become one; those of no polygon
// are dropped. Never throws on bad data: see status.
// Cost: n log n; n^2 in the corners of one polygon.
BrushModel make_model(std::span<const Vec3> vertices, std::span<const Polygon> polygons,
                      const ModelOptions& options = {});

BrushModel model_of_mesh(const Mesh& mesh, std::span<const Vec3> positions,
                         const ModelOptions& options = {});
BrushModel model_of_box(const Aabb& box);  // of positive extent on all axes
BrushModel model_of_point(const Vec3& point);
// The convex hull of the points, its coplanar triangles merged; decided exactly. empty: they lie in
// a plane. Cost: quadratic in the points of the hull times points; for colliders, not for scans.
BrushModel convex_hull(std::span<const Vec3> points);

// The model with its vertices moved to where the pose puts them, rounded to doubles; so polygons
// may have become fans.
BrushModel placed(const BrushModel& model, const Pose& pose);

// One line: what is wrong with which polygon.
std::string describe(const BrushModel& model);

}  // namespace graze::polyhedron
