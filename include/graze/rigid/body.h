#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "graze/mesh.h"
#include "graze/pose.h"
#include "graze/vec3.h"

namespace graze::rigid {

struct Model;  // private: the mesh and its bounding volumes

// `ok` if a mesh can be used as a body, otherwise the reason why not.
enum class Status : std::uint8_t {
  ok,
  no_triangles,
  too_many_triangles,   // more than 2^30
  index_out_of_range,   // a face refers to a vertex that does not exist
  not_finite,           // a vertex has a NaN or infinite coordinate
  too_large,            // a vertex has a coordinate beyond 2^1000
  degenerate_triangle,  // a triangle has no area; only with BodyOptions::refuse_degenerate
  not_closed,           // an edge belongs to an odd number of faces; only with BodyOptions::solid
  bad_size,             // a size of a shape is negative, zero where it must not be, or not finite
};

// Options of make_body().
struct BodyOptions {
  // If true, a triangle without area makes the body invalid. If false, such a triangle is kept as
  // the segment or point that it is.
  bool refuse_degenerate = false;
  // If true, the inside of the surface belongs to the body. Every edge must then belong to an even
  // number of faces. A point is inside if a ray from it crosses the surface an odd number of times.
  bool solid = false;
};

// A triangle mesh, or a shape (below), that is prepared for advance(), distance() and
// check_path().
//
// A mesh is its surface. The surface may be closed or open, a manifold or a set of unconnected
// triangles. Unless BodyOptions::solid is set, it has no inside: a body that lies within it without
// touching it is separated from it. Vertices that no face refers to are ignored.
//
// A body with a radius r > 0 (rounded() below) is the set of all points within r of the mesh
// or shape.
//
// A handle: copies share one immutable mesh, so a copy costs a reference count and threads may use
// the same body. A default-constructed body has the status no_triangles.
class Body {
 public:
  Body();
  explicit Body(std::shared_ptr<const Model> model, double radius = 0)
      : model_(std::move(model)), radius_(radius) {}

  // The mesh as given, in body coordinates, without the radius; valid while this body or a copy
  // exists. A sphere has one point, a capsule a segment; empty for shapes that have no mesh.
  std::span<const Vec3> vertices() const;
  std::span<const Face> faces() const;       // likewise
  double radius() const { return radius_; }  // length: see rounded()
  double size() const;    // length: the diagonal of the bounding box, radius included; of a half
                          // space twice its radius
  Status status() const;  // unless ok, every query of the body is `invalid`

  // Describes the status in one phrase, such as "face 7 refers to a vertex that does not exist";
  // vertices and faces are numbered from 0. With status ok: the number of triangles without area
  // and the first of them, or "" if every triangle has area.
  std::string problem() const;

  const Model& model() const { return *model_; }  // for the library's own code
  Body with_radius(double radius) const { return Body(model_, radius); }  // likewise

 private:
  std::shared_ptr<const Model> model_;  // never null
  double radius_ = 0;
};

// Copies a mesh and divides it for queries. Lengths are in the units of the mesh.
//   (1) Never throws, except for lack of memory: Body::status() names the defect of a
//       mesh that cannot be used, and every query of such a body is `invalid`.
//   (2) The body depends on the arguments alone: it is the same for any number of threads.
//   (3) Threads may query one body at the same time.
// Cost: O(n log n) for n triangles; at most 1 KiB per triangle. A bounding volume is computed when
// a query first needs it, once per body, so the first queries of a large mesh take longer than
// later ones.
Body make_body(std::span<const Vec3> vertices, std::span<const Face> faces,
               const BodyOptions& options = {});

// Bodies that are no meshes. docs/shapes.md has the table of all pairs.
//
// Lengths are in the units of the caller. Sizes that are out of their range, or coordinates beyond
// 2^300, give a body whose status is bad_size. Convex shapes are solid: their inside belongs to
// them. A shape is the set that its numbers define in real arithmetic.

// Returns the set of all points within `radius` >= 0 of a body: the radius is added to that of the
// body. Costs nothing: the mesh is shared.
Body rounded(const Body& body, double radius);

Body make_sphere(double radius);  // around the origin; radius >= 0

// Returns all points within `radius` >= 0 of the segment between two points.
Body make_capsule(const Vec3& from, const Vec3& to, double radius);

Body make_box(const Vec3& half_extents);                // around the origin; each >= 0
Body make_cylinder(double radius, double half_height);  // along z around the origin; both > 0
Body make_ellipsoid(const Vec3& radii);                 // around the origin; each > 0

// Returns the cone with its base in the plane z = -half_height and its tip at z = half_height. Both
// arguments are > 0.
Body make_cone(double radius, double half_height);

// Returns a solid prism, a mesh, that contains the cylinder of make_cylinder() and exceeds it by at
// most `excess` > 0, along z by nothing. Cost: about 3 sqrt(radius / excess) faces on the side.
Body enclosing_prism(double radius, double half_height, double excess);

// Returns the convex hull of points, at least one. Cost: each test of two parts of bodies visits
// all points.
Body make_convex(std::span<const Vec3> points);

// Returns the half space z <= 0. It moves and turns like any body.
Body make_half_space();

// Returns the surface over a grid: vertex (i, j) is at (i spacing_x, j spacing_y, heights[j columns
// + i]), the products rounded to doubles, i < columns, j < rows. The cell whose lowest vertex is
// (i, j) has the triangles 2 (j (columns - 1) + i) with the vertices (i, j), (i+1, j), (i+1, j+1)
// and the next one with (i, j), (i+1, j+1), (i, j+1). No mesh is built: the body stores the heights
// and bounds of blocks of cells, about 14 bytes per cell. At least 2 columns and 2 rows; spacings
// > 0; at most 2^28 cells.
Body make_height_field(std::size_t columns, std::size_t rows, double spacing_x, double spacing_y,
                       std::span<const double> heights);

// A body at a fixed place of a compound.
struct CompoundPart {
  Body body;
  Pose pose;
};

// Returns the union of bodies at fixed poses, at least one: meshes, solids, shapes and compounds,
// of any radius, but no half space. Their faces are numbered one after the other; a convex shape
// has one. Bodies are shared, not copied. The inside of each solid part belongs to the compound; a
// space that only several parts enclose together does not. Not for signed_distance(). Cost:
// O(n log n) for n parts.
Body make_compound(std::span<const CompoundPart> parts);

// The mass properties of a solid of density 1, whose mass is its volume.
struct MassProperties {
  double volume = 0;
  Vec3 centre = Vec3::Zero();                         // of mass
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();  // about the centre of mass
};
// Returns the mass properties of the solid that a closed surface bounds, with all faces oriented
// outwards or all inwards; of the convex hull if the surface is open. Computed in doubles. The
// volume is 0 for a surface without an inside. Faces must name existing vertices.
MassProperties mass_properties(std::span<const Vec3> vertices, std::span<const Face> faces);

}  // namespace graze::rigid
