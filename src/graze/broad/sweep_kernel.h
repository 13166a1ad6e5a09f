#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "graze/broad/pair_block.h"

namespace graze::sweep {

// Boxes in the order in which they begin along the sweep, one array per quantity, each with
// `padding` more elements: there `begin` is beyond every rank.
struct Boxes {
  static constexpr std::size_t padding = 16;

  std::size_t size = 0;
  std::vector<std::int32_t> begin, end;               // along the sweep
  std::vector<std::int32_t> lo_1, hi_1, lo_2, hi_2;   // on the two axes across it
  std::array<std::vector<std::uint32_t>, 3> corners;  // as many as the features have
  std::vector<std::uint32_t> id;
};

// Adds the pairs of rows first <= i < last with the columns they overlap and share no corner with.
// Of a pair only the one that begins first (or the vertex, or the one that is earlier in the list)
// meets the other, so that each is found once. A pair of which both began on axis 1 before
// `strip_begin` is left out: it belongs to an earlier strip.
void faces_of_vertices(const Boxes& vertices, const Boxes& faces, std::int32_t strip_begin,
                       std::size_t first, std::size_t last, PairBlock& block);
void vertices_of_faces(const Boxes& faces, const Boxes& vertices, std::int32_t strip_begin,
                       std::size_t first, std::size_t last, PairBlock& block);
void edges_of_edges(const Boxes& edges, std::int32_t strip_begin, std::size_t first,
                    std::size_t last, PairBlock& block);

}  // namespace graze::sweep
