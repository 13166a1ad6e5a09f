#pragma once

#include <algorithm>
#include <limits>

#include "graze/broad/moving_bounds.h"
#include "graze/broad/packed_tree.h"
#include "graze/broad/pair_block.h"

namespace graze::tree {

// Sixteen boxes at the begin and at the end of a slab of time, or swept between (then in the first
// three arrays).
struct alignas(64) MovingPacket {
  std::array<Lanes<float>, 6> lo, hi;  // x, y, z at the begin and at the end

  void clear(std::size_t i) {
    for (std::size_t k = 0; k < 6; ++k) {
      lo[k][i] = std::numeric_limits<float>::infinity();
      hi[k][i] = -lo[k][i];
    }
  }
  void set_around(std::size_t i, const MovingPacket& packet) {
    for (std::size_t k = 0; k < 6; ++k) {
      lo[k][i] = *std::min_element(packet.lo[k].begin(), packet.lo[k].end());
      hi[k][i] = *std::max_element(packet.hi[k].begin(), packet.hi[k].end());
    }
  }
};

// Features have two numbers: their place in the tree, which is the id of the packed tree, and the
// id in the mesh. Their corners are places of vertices.
struct MovingTree : PackedTree<MovingPacket> {
  bool moves = true;                 // or else has swept boxes
  std::vector<std::uint32_t> order;  // the id in the mesh by place
};

// Adds the pairs of the features in packets first <= i < last of `a` with those of `b` that share
// no corner with them, but for those that an axis or a direction found keeps apart in the same
// order at both ends of the slab; each of them once where the trees are the same. Of two features
// of the same kind the smaller id comes first, else that of `a`.
void find(const MovingTree& a, const MovingTree& b, const MovingBounds& bounds, std::size_t first,
          std::size_t last, PairBlock& block);

}  // namespace graze::tree
