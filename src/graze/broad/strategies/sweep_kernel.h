#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "graze/broad/pair_block.h"

namespace graze::broad::sweep {

// Boxes sorted by where they begin along the sweep, one array per quantity. Each array has
// `padding` extra elements, in which `begin` is larger than every rank.
struct Boxes {
  static constexpr std::size_t padding = 16;

  std::size_t size = 0, corner_count = 0;
  std::vector<std::int32_t> begin, end;              // along the sweep
  std::vector<std::int32_t> lo_1, hi_1, lo_2, hi_2;  // on the two axes across it
  std::array<std::vector<std::uint32_t>, 3> corners;
  std::vector<std::uint32_t> id;
};

// The first column that a row is compared with. Only columns that begin within the row are
// compared, so of a pair only the box that begins first finds the other, and each pair is found
// once.
//   next_row            columns are the same list as rows: the element after the row
//   begin_of_row        another list: the first column that begins at or after the row's begin
//   after_begin_of_row  another list: the first column that begins after the row's begin
enum class From { next_row, begin_of_row, after_begin_of_row };

// The id of a pair that is written first.
enum class First { row, column, smaller };

// Adds the pairs of rows first <= i < last with the columns that they overlap and share no corner
// with. A pair whose two boxes both begin before `strip_begin` on axis 1 is left out, because an
// earlier strip reports it.
void sweep(const Boxes& rows, const Boxes& columns, From from, First first_id,
           std::int32_t strip_begin, std::size_t first, std::size_t last, PairBlock& block);

}  // namespace graze::broad::sweep
