#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "graze/broad/pair_block.h"

namespace graze::tree {

inline constexpr std::size_t width = 16;
template <class T>
using Lanes = std::array<T, width>;

// Sixteen boxes, one array per quantity. Where there are fewer, the others are empty: they begin
// after and end before everything.
struct alignas(64) Packet {
  std::array<Lanes<std::int32_t>, 3> lo, hi;
};

struct PackedTree {
  std::size_t corner_count = 0;
  std::vector<std::uint32_t> order;  // the features
  // levels[0]: the boxes of the features; levels[k + 1]: those around the packets of levels[k]. The
  // last level is one packet.
  std::vector<std::vector<Packet>> levels;
  std::vector<Lanes<std::uint32_t>> id;                      // of each packet of features
  std::array<std::vector<Lanes<std::uint32_t>>, 3> corners;  // corner_count of them
};

// Adds the pairs of the features in packets first <= i < last of `a` with those of `b` that they
// overlap and share no corner with; each of them once where the trees are the same. Of two features
// of the same kind the smaller id comes first, else that of `a`.
void find(const PackedTree& a, const PackedTree& b, std::size_t first, std::size_t last,
          PairBlock& block);

}  // namespace graze::tree
