#pragma once

#include <algorithm>
#include <limits>

#include "graze/broad/moving/moving_bounds.h"
#include "graze/broad/moving/wedges.h"
#include "graze/broad/pair_block.h"
#include "graze/broad/tree/packed_tree.h"

namespace graze::broad::tree {

// The arrays of a packet: x, y, z of boxes swept during the slab; x, y, z at the start of the slab,
// then at its end.
enum class Bounds : std::size_t { swept = 3, at_both_ends = 6 };

// Sixteen boxes.
template <Bounds bounds>
struct alignas(64) MovingPacket {
  static constexpr auto rows = static_cast<std::size_t>(bounds);
  std::array<Lanes<float>, rows> lo, hi;

  void clear(std::size_t i) {
    for (std::size_t k = 0; k < rows; ++k) {
      lo[k][i] = std::numeric_limits<float>::infinity();
      hi[k][i] = -lo[k][i];
    }
  }
  void set_around(std::size_t i, const MovingPacket& packet) {
    for (std::size_t k = 0; k < rows; ++k) {
      lo[k][i] = *std::min_element(packet.lo[k].begin(), packet.lo[k].end());
      hi[k][i] = *std::max_element(packet.hi[k].begin(), packet.hi[k].end());
    }
  }
};

// A packed tree of moving features. The `id` of the packed tree is the index of a feature in the
// tree; `order` maps it to the id in the mesh. Corners are places of vertices (MovingBounds).
template <Bounds bounds>
struct MovingTree : PackedTree<MovingPacket<bounds>> {
  std::span<std::uint32_t> order;  // id in the mesh by index in the tree

  void resize(std::size_t features, std::size_t corners_each, SearchMemory& memory) {
    PackedTree<MovingPacket<bounds>>::resize(features, corners_each, memory);
    order = memory.array<std::uint32_t>(features);
  }
  static std::size_t bytes(std::size_t features, std::size_t corners_each) {
    return PackedTree<MovingPacket<bounds>>::bytes(features, corners_each) +
           SearchMemory::bytes<std::uint32_t>(features);
  }
};

// Finds the pairs of the features in packets first <= i < last of `a` with the features of `b`,
// except pairs that share a corner and pairs that an axis keeps in the same order at both ends of
// the slab.
//   pairs, unless null, receives those that no other direction keeps in the same order either. Each
//   is added once if the trees are the same. Of two features of the same kind the smaller id comes
//   first, otherwise the feature of `a`.
//   crossings, unless null, receives the edges and faces that one of these pairs shows to cross at
//   the start of the slab (crossing-inl.h), unless the edge is proven not to pierce the face. An
//   edge and a face may be added more than once. Only for trees of vertices and faces or of edges.
void find(const MovingTree<Bounds::swept>& a, const MovingTree<Bounds::swept>& b,
          const MovingBounds& positions, std::size_t first, std::size_t last, PairBlock* pairs,
          const CrossingSearch* crossings);
void find(const MovingTree<Bounds::at_both_ends>& a, const MovingTree<Bounds::at_both_ends>& b,
          const MovingBounds& positions, std::size_t first, std::size_t last, PairBlock* pairs,
          const CrossingSearch* crossings);

// Adds the faces of a tree of faces to the edges.
void add_faces(const MovingTree<Bounds::swept>& faces, Wedges& edges);
void add_faces(const MovingTree<Bounds::at_both_ends>& faces, Wedges& edges);

}  // namespace graze::broad::tree
