#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graze/mesh.h"
#include "graze/mpi/communicator.h"

namespace graze::mpi {

// The division of the vertices among the ranks: rank r has the numbers first[r] to first[r+1] - 1.
struct VertexBlocks {
  std::vector<std::uint64_t> first;

  std::size_t owner(std::uint32_t vertex) const;
  std::uint64_t count() const { return first.back(); }

  // Returns how many of these numbers, in ascending order, belong to each rank.
  std::vector<std::size_t> counts(std::span<const std::uint32_t> ascending) const;
};

// The edges of a distributed mesh, numbered as in Mesh: by larger vertex, then by smaller vertex.
// Each rank has the edges whose larger vertex is in its block, hence a range of the numbers.
class EdgeTable {
 public:
  // Collective. `faces` and `rods`: of this rank, with the numbers of the whole mesh.
  EdgeTable(Communicator& communicator, const VertexBlocks& blocks, std::span<const Face> faces,
            std::span<const Edge> rods);

  std::uint64_t first() const { return first_edge_; }  // the number of this rank's first edge
  std::uint64_t count() const { return all_edges_; }   // of all ranks

  // This rank's edges that are not a side of a face, and its vertices without an edge.
  const std::vector<Edge>& rods() const { return rods_; }
  const std::vector<std::uint32_t>& points() const { return points_; }

  // Returns the edge of that number. Precondition: it is one of this rank.
  Edge edge(std::uint64_t number) const;
  std::size_t size() const { return smaller_.size(); }

  // Collective. Returns the numbers of edges of the mesh, given with the smaller vertex first.
  std::vector<std::uint32_t> numbers(Communicator& communicator, std::span<const Edge> edges) const;

 private:
  std::uint32_t number_of(const Edge& edge) const;

  VertexBlocks blocks_;
  std::uint64_t first_vertex_ = 0, first_edge_ = 0, all_edges_ = 0;
  // The edges whose larger vertex is first_vertex_ + i have the smaller vertices
  // smaller_[begin_[i]] to smaller_[begin_[i + 1] - 1], ascending.
  std::vector<std::uint32_t> begin_, smaller_;
  std::vector<Edge> rods_;
  std::vector<std::uint32_t> points_;
};

}  // namespace graze::mpi
