#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "graze/mesh.h"
#include "graze/vec3.h"

namespace graze::rigid {

struct Model;  // private: the mesh and its bounding volumes

// Whether a mesh can be used as a body, or the reason why not.
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

struct BodyOptions {
  // If true, a triangle without area makes the body invalid. If false, such a triangle is kept as
  // the segment or point that it is.
  bool refuse_degenerate = false;
  // If true, the inside of the surface belongs to the body. Every edge must then belong to an even
  // number of faces. A point is inside if a ray from it crosses the surface an odd number of times.
  bool solid = false;
};

// A triangle mesh, or a shape of shapes.h, that is prepared for advance(), distance() and
// check_path().
//
// A mesh is its surface. The surface may be closed or open, a manifold or a set of unconnected
// triangles. Unless BodyOptions::solid is set, it has no inside: a body that lies within it without
// touching it is separated from it. Vertices that no face refers to are ignored.
//
// A body with a radius r > 0 (rounded() in shapes.h) is the set of all points within r of the mesh
// or shape.
//
// A handle: copies share one immutable mesh, so a copy costs a reference count and threads may use
// the same body. A default-constructed body has the status no_triangles.
class Body {
 public:
  Body();
  explicit Body(std::shared_ptr<const Model> model, double radius = 0)
      : model_(std::move(model)), radius_(radius) {}

  // The mesh as given, in body coordinates, without the radius; valid while a copy lives. Those of
  // a sphere are a point, of a capsule a segment; empty for shapes that have no mesh.
  std::span<const Vec3> vertices() const;
  std::span<const Face> faces() const;
  double radius() const { return radius_; }  // length: see rounded()
  double size() const;  // length: the diagonal of the bounding box, radius included; of a half
                        // space twice its radius
  Status status() const;

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
// Cost: O(n log n) for n triangles, about 0.4 us each on one thread; at most 1 KiB per triangle.
// Queries compute the bounding volumes that they need first, once per body: the first queries of a
// large mesh take some ms longer than later ones.
Body make_body(std::span<const Vec3> vertices, std::span<const Face> faces,
               const BodyOptions& options = {});

}  // namespace graze::rigid
