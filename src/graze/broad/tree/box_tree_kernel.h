#pragma once

#include <algorithm>

#include "graze/broad/pair_block.h"
#include "graze/broad/tree/packed_tree.h"
#include "graze/broad/tree/rank_boxes.h"

namespace graze::broad::tree {

// Sixteen boxes of ranks.
struct alignas(64) RankPacket {
  std::array<Lanes<std::int32_t>, 3> lo, hi;

  void set(std::size_t i, const RankBox& box) {
    for (std::size_t k = 0; k < 3; ++k) {
      lo[k][i] = box.lo[k];
      hi[k][i] = box.hi[k];
    }
  }
  void clear(std::size_t i) {
    for (std::size_t k = 0; k < 3; ++k) {
      lo[k][i] = INT32_MAX;
      hi[k][i] = INT32_MIN;
    }
  }
  void set_around(std::size_t i, const RankPacket& packet) {
    for (std::size_t k = 0; k < 3; ++k) {
      lo[k][i] = *std::min_element(packet.lo[k].begin(), packet.lo[k].end());
      hi[k][i] = *std::max_element(packet.hi[k].begin(), packet.hi[k].end());
    }
  }
};

// Adds the pairs of the features in packets first <= i < last of `a` with the features of `b` that
// they overlap and share no corner with, each once if the trees are the same. Of two features of
// the same kind the smaller id comes first, otherwise the feature of `a`.
void find(const PackedTree<RankPacket>& a, const PackedTree<RankPacket>& b, std::size_t first,
          std::size_t last, PairBlock& block);

}  // namespace graze::broad::tree
