#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "graze/aabb.h"
#include "graze/mesh.h"
#include "graze/pose.h"
#include "graze/vec3.h"

namespace graze::polyhedron {

// The result of building a model.
enum class Status : std::uint8_t {
  ok,
  empty,           // no polygon and no point
  not_finite,      // a coordinate is NaN or infinite
  bad_corner,      // a corner index out of range, a repeated corner, or a polygon of two corners
  zero_area,       // all corners of a polygon lie on a line
  not_planar,      // a corner is further from its polygon's plane than planar_tol allows
  not_convex,      // a polygon turns both ways, turns back, or winds more than once
  duplicate_edge,  // two polygons run along an edge in the same direction
};
// Returns the name of a status as the command prints it.
const char* name(Status status);

// Options of make_model().
struct ModelOptions {
  // The largest distance of a corner from the plane of its polygon, as a fraction of the largest
  // side of the model's bounding box. A polygon that is not exactly planar but within this
  // tolerance becomes a fan of triangles.
  double planar_tol = 1e-5;
  // Merges neighbouring polygons of one plane into convex polygons, greedily. Vertices inside a
  // merged polygon are dropped.
  bool merge_coplanar = false;
  // Accepts duplicate edges. The surface then has no consistent front.
  bool accept_soup = false;
  // Leaves out polygons whose corners all lie on a line (zero_area, and repeated corners that leave
  // no area) instead of failing. Points of such a polygon that no other polygon has are lost.
  bool drop_degenerate = false;
};

// The index that stands for "no facet".
inline constexpr std::uint32_t no_facet = 0xffffffff;

// The shape of the surface at an edge, seen from the front.
enum class EdgeKind : std::uint8_t {
  open,      // one facet only, or facets that do not pair up (Model)
  convex,    // a ridge
  flat,      // both facets lie in one plane, on opposite sides of the edge
  internal,  // a groove: the fronts of both facets face each other ([van Waveren 2005] Fig. 5)
};

// An edge of a model: its two vertices, the facets on its sides, and its kind.
struct ModelEdge {
  std::uint32_t a, b;       // vertices, a < b
  std::uint32_t facets[2];  // no_facet if absent; two of them if the facets do not pair up
  EdgeKind kind;
};

// An exactly planar convex polygon, or a single point (one corner, no sides). The corners run
// counterclockwise as seen from the front. Side i joins corner i and the next corner.
struct Facet {
  std::uint32_t first, count;  // range in Model::corners and Model::sides
  std::uint32_t polygon;       // the polygon this facet is, or is a triangle of
  std::uint32_t plane[3];      // three vertices that span the plane, counterclockwise
  // Ranges in Model::owned_vertices and Model::owned_edges: the true vertices and edges that are
  // tested together with this facet and with no other facet.
  std::uint32_t first_vertex, vertex_count, first_edge, edge_count;
  int axis;       // an axis along which the projection of the facet is large; -1 for a point
  int axis_sign;  // the exact sign of the normal along `axis`; 0 for a point
};

// A polyhedron, an open surface or a soup of convex polygons, and single points. Each vertex is
// stored once. So is each edge, unless more than two facets meet at it, half of them in each
// direction, as where solids touch along an edge: these pair up, so that each pair bounds a wedge
// behind its fronts, and the edge is stored once for each pair. Plain data, built by the functions
// below; do not edit a built model. Any number of threads may read it.
//   (1) The point set of the model is the closed union of its facets, for the doubles given. An
//       exactly planar polygon is one facet. A polygon planar within planar_tol is a fan of
//       triangles around its first corner; where three corners on a line would give a triangle
//       without area, other ears are cut.
//   (2) Facets that share a side share its edge exactly: there are no gaps between them.
//   (3) A true edge is an edge that is not flat. A true vertex has an edge that is not flat, or no
//       edge. The first facet at a true vertex or edge owns it.
struct Model {
  std::vector<Vec3> vertices;  // positions
  std::vector<ModelEdge> edges;
  std::vector<Facet> facets;
  std::vector<std::uint32_t> corners, sides;               // vertices and edges of the facets
  std::vector<std::uint32_t> owned_vertices, owned_edges;  // owned by the facets
  std::vector<Aabb> boxes;                                 // bounding boxes of the facets
  std::vector<std::uint8_t> hidden;   // per vertex: 1 if all its edges are internal or flat
  std::vector<std::uint32_t> pieces;  // the first facet of each connected piece, ascending
  Aabb box = {Vec3::Zero(), Vec3::Zero()};
  std::vector<std::vector<std::uint32_t>> polygons;  // vertices; as given, dropped or merged
  bool closed = false;      // every edge joins two facets whose fronts agree
  std::size_t dropped = 0;  // polygons that drop_degenerate left out

  Status status = Status::empty;  // unless ok, the model cannot be used
  // The index of the polygon that `status` is about, among the polygons given. For duplicate_edge
  // with merge_coplanar: among the merged polygons.
  std::size_t culprit = 0;

  // Returns whether the model can be used.
  bool ok() const { return status == Status::ok; }
  // Returns whether the model is a single point.
  bool is_point() const { return facets.size() == 1 && facets[0].count == 1; }

  // Returns the vertices of a facet, counterclockwise as seen from the front.
  std::span<const std::uint32_t> corners_of(const Facet& f) const {
    return {corners.data() + f.first, f.count};
  }
  // Returns the edges of a facet; side i joins corner i and the next corner.
  std::span<const std::uint32_t> sides_of(const Facet& f) const {
    return {sides.data() + f.first, f.count == 1 ? 0 : f.count};
  }
  // Returns the true vertices that a facet owns.
  std::span<const std::uint32_t> vertices_of(const Facet& f) const {
    return {owned_vertices.data() + f.first_vertex, f.vertex_count};
  }
  // Returns the true edges that a facet owns.
  std::span<const std::uint32_t> edges_of(const Facet& f) const {
    return {owned_edges.data() + f.first_edge, f.edge_count};
  }
  // Returns `closed`.
  bool is_closed() const { return closed; }
};

// Indices of vertices, counterclockwise as seen from the front.
using Polygon = std::vector<std::uint32_t>;

// Builds a model from polygons given by vertex indices. A polygon of one corner is a point.
// Vertices of equal coordinates become one vertex; vertices of no polygon are dropped. Bad data is
// a status, never an exception.
// Cost: O(n log n) in the vertices; quadratic in the corners of one polygon.
Model make_model(std::span<const Vec3> vertices, std::span<const Polygon> polygons,
                 const ModelOptions& options = {});

// Builds a model of the faces of a mesh, polygon i being face i, followed by its free points.
Model model_of_mesh(const Mesh& mesh, std::span<const Vec3> positions,
                    const ModelOptions& options = {});

// Builds a box of positive extent along all axes.
Model model_of_box(const Aabb& box);

// Builds a model of one point.
Model model_of_point(const Vec3& point);

// Returns the convex hull of the points, decided exactly. Every facet is one polygon, and the
// vertices are the hull's corners: points inside a facet or a ridge are not among them. The hull of
// points in a plane is one polygon; it is not closed, and its front is on either side. The hull of
// equal points is a point. Status `empty`: no point, or points on a line that are not all equal.
// Cost: quadratic in the hull's points times the number of points. Meant for colliders, not scans.
Model convex_hull(std::span<const Vec3> points);

// Returns the model with its vertices moved to the pose, rounded to doubles. Rounding may turn a
// polygon into a fan of triangles.
Model placed(const Model& model, const Pose& pose);

// Returns one line that names the polygon and what is wrong with it. Polygons count from 0.
std::string describe(const Model& model);

}  // namespace graze::polyhedron
