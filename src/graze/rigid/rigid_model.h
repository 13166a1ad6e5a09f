#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graze/core/mesh.h"
#include "graze/rigid/decomposition.h"
#include "graze/rigid/hull_tree.h"

namespace graze {

enum class ModelFault : std::uint8_t {
  none,
  no_triangles,
  too_many_triangles,   // more than 2^30
  index_out_of_range,   // a face names a vertex that is not there
  not_finite,           // a vertex has a NaN or an infinity
  too_large,            // a vertex has a coordinate beyond 2^1000
  degenerate_triangle,  // only where the options refuse them
};

struct RigidModelOptions {
  bool refuse_degenerate = false;  // else a triangle without area counts as the segment it is
};

// A triangle mesh made ready for rigid/advance.h and rigid/distance.h. It is its surface: closed or
// not, a soup or a manifold, it has no inside. Vertices that no face names do not count. Constant
// after it was made, so that threads may share it.
struct RigidModel {
  ModelFault fault = ModelFault::none;  // with any other, the tree is empty
  std::size_t fault_at = 0;             // the face or vertex in question

  std::vector<Vec3> vertices;
  std::vector<Face> faces;
  SurfaceDecomposition decomposition;
  HullTree tree;
  double size = 0;             // the diagonal of the box around it
  std::size_t degenerate = 0;  // triangles without area; `fault_at` is the first of them

  bool valid() const { return fault == ModelFault::none; }
  // "face 7 names a vertex that is not there"; "" for a sound model without degenerate triangles.
  std::string problem() const;
};

// Never throws but for memory.
// Cost: n log n in triangles.
RigidModel make_rigid_model(std::vector<Vec3> vertices, std::vector<Face> faces,
                            const RigidModelOptions& options = {});

// Its first part: looks at the vertices and faces and sets fault, fault_at, size and degenerate.
void check_mesh(RigidModel& model, const RigidModelOptions& options = {});

}  // namespace graze
