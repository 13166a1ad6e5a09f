#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "graze/find_pairs.h"
#include "graze/mesh.h"

namespace graze::gpu {

// Some features of a mesh with all their vertices, as a mesh of its own.
struct MeshPart {
  Mesh mesh;
  std::vector<std::uint32_t> vertices, edges, faces;  // indices in the whole mesh, ascending

  std::vector<Vec3> gather(std::span<const Vec3> positions) const;
  // Returns the indices of a pair in the whole mesh. They have the order of those in the part.
  Pair in_whole(Kind kind, const Pair& pair) const;
};

// A filter of a whole mesh for a part of it. Owns its arrays. The callback is left out.
struct PartFilter {
  std::vector<std::uint8_t> is_static;
  std::vector<std::uint32_t> group;
  std::vector<CategoryMask> masks;

  PairFilter of(const PairFilter& whole, const MeshPart& part);
};

// Parts of a mesh that are searched one after the other where the whole mesh needs too much memory.
// Vertices, edges and faces in spatial order are divided into groups. A part is a group, or two
// groups whose swept boxes overlap.
//   (1) Every two features that come within the separation of each other during the step, in the
//       maximum norm, are together in a part: the swept box of a feature lies in that of its group,
//       and a vertex of a face or an edge is in each group that has one of these.
//   (2) Every vertex, edge and face is in some part. A pair of features may be in several parts.
class MeshParts {
 public:
  // Precondition: groups > 0, all positions are finite.
  MeshParts(const MovingMesh& moving, double separation, std::size_t groups);

  std::size_t size() const { return parts_.size(); }
  MeshPart operator[](std::size_t i) const;

 private:
  struct Group {
    std::vector<std::uint32_t> points, edges, faces;
  };
  const Mesh& mesh_;
  std::vector<Group> groups_;
  std::vector<std::array<std::size_t, 2>> parts_;  // two groups; the same one twice: a group
  std::vector<std::uint8_t> is_rod_;               // one per edge
};

}  // namespace graze::gpu
