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
};

struct BodyOptions {
  // If true, a triangle without area makes the body invalid. If false, such a triangle is kept as
  // the segment or point that it is.
  bool refuse_degenerate = false;
};

// A triangle mesh that is prepared for advance(), distance() and check_path().
//
// A body is its surface. The surface may be closed or open, a manifold or a set of unconnected
// triangles. It has no inside: a body that lies within another without touching it is separated
// from it. Vertices that no face refers to are ignored.
//
// A handle: copies share one immutable mesh, so a copy costs a reference count and threads may use
// the same body. A default-constructed body has the status no_triangles.
class Body {
 public:
  Body();
  explicit Body(std::shared_ptr<const Model> model) : model_(std::move(model)) {}

  std::span<const Vec3> vertices()
      const;                            // as given, in body coordinates; valid while a copy lives
  std::span<const Face> faces() const;  // as given
  double size() const;                  // length: the diagonal of the bounding box
  Status status() const;

  // Describes the status in one phrase, such as "face 7 refers to a vertex that does not exist";
  // vertices and faces are numbered from 0. With status ok: the number of triangles without area
  // and the first of them, or "" if every triangle has area.
  std::string problem() const;

  const Model& model() const { return *model_; }  // for the library's own code

 private:
  std::shared_ptr<const Model> model_;  // never null
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
