#pragma once

#include <array>
#include <atomic>
#include <span>
#include <vector>

#include "graze/broad/moving/moving_bounds.h"
#include "graze/broad/pair_block.h"

namespace graze::broad::tree {

// The edges of a tree and the faces at them. Vertices are places (MovingBounds), edges are indices
// in the tree, faces are indices in the mesh.
class Wedges {
 public:
  // An edge and the third corners of two of its faces; ends[0] where it has fewer faces.
  struct Wedge {
    std::array<std::uint32_t, 2> ends, apexes;
  };

  // Takes the memory, not owned, for a tree with `edges` edges, of a mesh with `vertices` vertices.
  Wedges(std::size_t edges, std::size_t vertices, SearchMemory& memory);
  static std::size_t bytes(std::size_t edges, std::size_t vertices);

  // Sets the edges of the tree, without faces: their ends and their ids in the mesh (a view).
  // Precondition: the edges ascend by their smaller end.
  void set_edges(const std::uint32_t* first_ends, const std::uint32_t* second_ends,
                 std::span<const std::uint32_t> ids);

  // first()[v] is the first edge whose smaller end is at least v. larger_ends() are the larger ends
  // of all edges, with `padding` more elements. Both are for adding faces.
  static constexpr std::size_t padding = 16;
  const std::uint32_t* first() const { return first_.data(); }
  const std::uint32_t* larger_ends() const { return larger_.data(); }
  // Adds a face to an edge. `backward`: whether the face runs along the edge from its larger to its
  // smaller end. (The two faces of an edge mostly differ in this, so the branches are predictable.)
  void add_face(std::uint32_t edge, bool backward, std::uint32_t apex, std::uint32_t face) {
    Wedge& wedge = wedges_[edge];
    const std::uint32_t none = wedge.ends[0];
    bool which = backward;
    if (wedge.apexes[which] != none) {
      which = !which;
      if (wedge.apexes[which] != none) return further_.push_back({edge, apex, face});
    }
    wedge.apexes[which] = apex;
    faces_[edge][which] = face;
  }

  std::uint32_t id(std::uint32_t edge) const { return ids_[edge]; }
  const Wedge& operator[](std::uint32_t edge) const { return wedges_[edge]; }
  // Returns the faces of the apexes; undefined for apexes that the edge does not have.
  const std::array<std::uint32_t, 2>& faces(std::uint32_t edge) const { return faces_[edge]; }

  // The faces of an edge beyond these two. sort_further_faces() is called after all faces are
  // added.
  struct Further {
    std::uint32_t edge, apex, face;
  };
  void sort_further_faces();
  std::span<const Further> further_faces(std::uint32_t edge) const;
  bool has_further_faces() const { return !further_.empty(); }

  // Calls function(edge) for the edges at a vertex.
  template <class Function>
  void for_edges_at(std::uint32_t vertex, Function&& function) const {
    for (std::uint32_t edge = first_[vertex]; edge < first_[vertex + 1]; ++edge) function(edge);
    for (std::uint32_t i = first_below_[vertex]; i < first_below_[vertex + 1]; ++i)
      function(below_[i]);
  }

 private:
  std::span<const std::uint32_t> ids_;
  std::span<Wedge> wedges_;
  std::span<std::array<std::uint32_t, 2>> faces_;
  std::span<std::uint32_t> first_, larger_;
  std::span<std::uint32_t> first_below_, below_;  // the edges by their larger end
  std::vector<Further> further_;
};

// The search for edges that pierce faces at the start of the slab, beside that for pairs.
struct CrossingSearch {
  std::array<const Wedges*, 2> of_trees;  // of the edges of both trees, if these are of edges
  std::span<const Wedges> all;            // all edges of the mesh
  MovingBounds::Points points;
  std::span<const Edge> edges;  // of the mesh
  // Crossings of edges after this one are not needed. May decrease during the search.
  const std::atomic<std::uint32_t>* last_edge;
  PairBlock& found;
};

}  // namespace graze::broad::tree
