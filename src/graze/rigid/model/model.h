#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "graze/rigid/body.h"
#include "graze/rigid/model/convex_pieces.h"
#include "graze/rigid/model/hull_tree.h"
#include "graze/rigid/model/oriented_box.h"
#include "graze/rigid/model/parts.h"
#include "graze/rigid/motion.h"

namespace graze::rigid {

// A solid mesh as a part of a compound.
struct SolidPart {
  Body body;
  Placement at;
};

// The data of a Body: a mesh and its tree, or a shape, or both. Immutable after construction, so
// threads may share it.
struct Model {
  Status status = Status::no_triangles;  // unless ok, the tree is empty
  std::size_t status_at = 0;             // the index of the face or vertex that the status is about

  std::vector<Vec3> vertices;
  std::vector<Face> faces;
  HullTree tree;  // empty for a shape without a mesh
  std::shared_ptr<ConvexPieces> pieces = std::make_shared<ConvexPieces>();  // of the mesh
  std::shared_ptr<const Parts> parts;  // a convex shape, height field or compound; else null
  bool half_space = false;             // the half space z <= 0; no tree and no parts
  bool convex = false;                 // `parts` is one convex part
  bool solid = false;                  // the interior of the closed mesh belongs to the body
  std::vector<SolidPart> solid_parts;  // of a compound
  std::vector<Vec3> islands;  // a point of each connected piece of the body; empty for a half space
  Vec3 lo = Vec3::Zero(), hi = Vec3::Zero();  // the bounding box; of a half space 0
  double size = 0;                            // length: the diagonal of the bounding box
  OrientedBox oriented;                       // of the mesh
  std::size_t degenerate = 0;  // the number of triangles without area; status_at is the first

  bool valid() const { return status == Status::ok; }
  bool has_inside() const { return solid || !solid_parts.empty(); }  // of a closed mesh
  bool has_mesh() const { return tree.size() > 0; }
  std::string problem() const;  // see Body::problem()
};

// Examines a mesh and builds its tree: see make_body().
Model make_model(std::vector<Vec3> vertices, std::vector<Face> faces,
                 const BodyOptions& options = {});

}  // namespace graze::rigid
