#pragma once

#include <optional>
#include <span>
#include <vector>

#include "graze/mpi/communicator.h"
#include "graze/mpi/edge_table.h"
#include "graze/mpi/regions.h"
#include "graze/mpi/vertex_numbers.h"
#include "graze/spine/search_step.h"

namespace graze::mpi {

// The features that touch the region of one rank in one slab: a mesh of its own with numbers of its
// own, in the order of the numbers of the whole mesh.
//
// A rank receives the faces, rods and points (Mesh) whose boxes touch its region. Each edge and
// each vertex of the whole mesh is one of these or a part of one, whose box contains its own. So
// the rank has every feature that touches its region, and every feature adjacent to it: the edges
// and faces at a vertex, the faces at an edge.
class RegionMesh {
 public:
  MovingMesh moving() const { return {mesh_, start_, end_}; }
  std::size_t faces() const { return face_numbers_.size(); }

  // Returns the options for a search of this mesh: with the filter of this mesh, which admits only
  // the pairs of this region. They refer to this object.
  StepOptions options(const StepOptions& options) const;

  // Collective. Replaces the features of these impacts by their numbers in the whole mesh.
  void renumber(Communicator& communicator, const EdgeTable& edges,
                std::span<StepImpact> impacts) const;

 private:
  friend class DistributedMesh;

  bool owns(Kind kind, const Pair& pair) const;
  // Returns the lowest corner of the cells of a vertex, an edge or a face.
  Cell lowest_cell(std::size_t corner_count, std::uint32_t feature) const;
  void find_cells(const Grid& grid, const broad::Slab& slab, double separation);

  Mesh mesh_;
  std::vector<Vec3> start_, end_;
  std::vector<std::uint32_t> vertex_numbers_, face_numbers_;  // in the whole mesh
  std::vector<std::uint8_t> is_static_;
  std::vector<std::uint32_t> group_;
  std::vector<CategoryMask> masks_;
  // For several ranks: the lowest cell of each vertex.
  std::optional<Regions> regions_;
  std::size_t rank_ = 0;
  std::vector<Cell> lowest_cells_;
};

// A mesh of which each rank has a part (MeshPart).
class DistributedMesh {
 public:
  // Collective. Keeps views of the part and the filter, and a reference to the communicator.
  // Precondition: as many end as start positions, all finite, and every vertex of a face or rod is
  // below the number of all vertices.
  DistributedMesh(Communicator& communicator, const MeshPart& part, const PairFilter& filter);

  const FeatureCounts& counts() const { return counts_; }
  spine::FeatureKinds kinds() const { return kinds_; }
  const broad::SearchScale& scale() const { return *scale_; }
  const EdgeTable& edges() const { return *edges_; }

  // Collective. Returns the mesh of this rank's region for a slab. Adds its size to `share`.
  RegionMesh region(const broad::Slab& slab, double separation, Share& share);

 private:
  // Requests of values of vertices from the ranks that have them.
  struct Requests {
    Packets<std::uint32_t> received;  // of all ranks
    std::vector<std::size_t> counts;  // of this rank, by the rank that answers
  };
  Requests ask(const std::vector<std::uint32_t>& ascending) const;
  template <class T>
  std::vector<T> fetch(const Requests& asked, std::span<const T> mine) const;
  void find_scale();
  std::vector<CellBox> sample(const std::vector<CellBox>& cells, std::size_t& stride) const;
  template <class Corners>
  CellBox cells_of(const Corners& corners, const std::vector<CellBox>& cells) const;

  Communicator& communicator_;
  MeshPart part_;
  PairFilter filter_;
  bool has_static_ = false, has_groups_ = false, has_masks_ = false;  // on some rank
  VertexBlocks blocks_;
  std::uint64_t first_face_ = 0;
  FeatureCounts counts_;
  spine::FeatureKinds kinds_{};
  std::optional<EdgeTable> edges_;
  std::optional<broad::SearchScale> scale_;
  std::vector<Vec3> position_sample_;
  std::optional<VertexNumbers> used_;  // by the faces, rods and points of this part
  std::vector<std::uint32_t> used_vertices_;
};

}  // namespace graze::mpi
