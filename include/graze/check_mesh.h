#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graze/impact.h"
#include "graze/mesh.h"
#include "graze/options.h"

// The faults of a mesh at one moment: faces that intersect, and defects of the surface.
namespace graze {

// The kind of an intersection of two faces. The inside of a face excludes its border.
enum class FaceContact : std::uint8_t {
  touching,    // common points, but none inside both; or a face has no area
  crossing,    // the faces lie in two planes and have a common point inside both
  overlapping  // the faces lie in one plane and have a common area
};

// Returns "touching", "crossing" or "overlapping".
const char* name(FaceContact contact);

// Two faces that intersect.
struct FaceIntersection {
  std::uint32_t a = 0, b = 0;  // of one mesh: a < b; of two: a face of the first, one of the second
  FaceContact contact{};
  Vec3 point = Vec3::Zero();  // on the intersection, up to rounding; for display
};

// The answer of find_intersections().
struct Intersections {
  // contact: `faces` is not empty; separated: no two faces intersect; undecided: the search was
  // stopped, and `faces` may lack some; invalid: promise (4).
  Verdict verdict = Verdict::separated;
  std::vector<FaceIntersection> faces;  // sorted by a, then by b
};

// Finds the pairs of faces that intersect.
//   (1) Exact for the positions as stored: a pair without a common vertex is reported if and only
//       if the closed triangles have a common point. A face may be a segment or a point.
//   (2) A pair with common vertices is reported if and only if both faces have area and they have
//       a common point besides those vertices and, with two common vertices, besides the edge
//       between them. check_mesh() lists the faces without area.
//   (3) The result depends only on the arguments other than `run`.
//   (4) `invalid`, without pairs: the number of positions differs from the number of vertices, a
//       position is NaN or infinite, or `is_static` is neither empty nor has one element per
//       vertex.
// `is_static`: one element per vertex, nonzero for a static vertex; two faces whose vertices are
// all static are left out. Empty: no vertex is static.
// Cost: near linear in the faces and in the pairs of faces whose boxes overlap.
Intersections find_intersections(const Mesh& mesh, const Positions& positions,
                                 std::span<const std::uint8_t> is_static = {}, const Run& run = {});

// Finds the pairs of a face of one mesh and a face of another that intersect. Promises as above;
// no vertices are common.
Intersections find_intersections(const Mesh& mesh_a, const Positions& positions_a,
                                 const Mesh& mesh_b, const Positions& positions_b,
                                 const Run& run = {});

// The faults of a surface. All lists are ascending. Rods and points are no faults.
struct MeshCheck {
  std::vector<std::uint32_t> border_edges;    // sides of one face: the surface is open there
  std::vector<std::uint32_t> branched_edges;  // sides of three or more faces
  // Sides that two faces traverse in the same direction: one of the faces is turned over.
  std::vector<std::uint32_t> turned_edges;
  // Vertices whose faces form more than one fan around them. (Faces that share a side at the vertex
  // belong to one fan.)
  std::vector<std::uint32_t> pinched_vertices;
  std::vector<std::uint32_t> flat_faces;  // without area; exact
  // Vertices at the position of a vertex of smaller index. Such vertices are not merged: a surface
  // whose parts meet only there is open.
  std::vector<std::uint32_t> repeated_positions;
  Intersections intersections;

  // Returns whether every edge has at most two faces, and the faces at each vertex form one fan.
  bool is_manifold() const { return branched_edges.empty() && pinched_vertices.empty(); }
  // Returns whether no edge is the side of exactly one face. True without faces.
  bool is_closed() const { return border_edges.empty(); }
  // Returns whether no two faces traverse a common side in the same direction.
  bool is_oriented() const { return turned_edges.empty(); }
  // Returns whether the surface has no faults besides borders and repeated positions.
  bool is_clean() const {
    return is_manifold() && is_oriented() && flat_faces.empty() &&
           intersections.verdict == Verdict::separated;
  }
};

// Finds all faults of a mesh.
//   (1) The lists are complete and exact for the positions as stored.
//   (2) The result depends only on the arguments other than `run`.
//   (3) Positions as in promise (4) of find_intersections() make intersections.verdict `invalid`.
//       Then flat_faces and repeated_positions are empty too; the other lists are complete.
// Cost: that of find_intersections(), and O(n log n) for n faces.
MeshCheck check_mesh(const Mesh& mesh, const Positions& positions, const Run& run = {});

}  // namespace graze
