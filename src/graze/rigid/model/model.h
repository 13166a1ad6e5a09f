#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "graze/rigid/body.h"
#include "graze/rigid/model/hull_tree.h"

namespace graze::rigid {

// The data of a Body: the mesh and its tree. Immutable after construction, so threads may share it.
struct Model {
  Status status = Status::no_triangles;  // unless ok, the tree is empty
  std::size_t status_at = 0;             // the index of the face or vertex that the status is about

  std::vector<Vec3> vertices;
  std::vector<Face> faces;
  HullTree tree;
  double size = 0;             // length: the diagonal of the bounding box
  std::size_t degenerate = 0;  // the number of triangles without area; status_at is the first

  bool valid() const { return status == Status::ok; }
  std::string problem() const;  // see Body::problem()
};

// Examines a mesh and builds its tree: see make_body().
Model make_model(std::vector<Vec3> vertices, std::vector<Face> faces,
                 const BodyOptions& options = {});

}  // namespace graze::rigid
