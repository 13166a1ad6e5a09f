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

  std::size_t size = 0, corner_count = 0;
  std::vector<std::int32_t> begin, end;              // along the sweep
  std::vector<std::int32_t> lo_1, hi_1, lo_2, hi_2;  // on the two axes across it
  std::array<std::vector<std::uint32_t>, 3> corners;
  std::vector<std::uint32_t> id;
};

// The columns a row is compared with, of those that begin within it: in the list of the rows
// themselves those after it; in another list those that begin not before it, or after it. Of a pair
// only the one that begins first meets the other, so that each is found once.
enum class From { next_row, begin_of_row, after_begin_of_row };

// Which id of a pair is written first.
enum class First { row, column, smaller };

// Adds the pairs of rows first <= i < last with the columns they overlap and share no corner with.
// A pair of which both began on axis 1 before `strip_begin` is left out: it belongs to an earlier
// strip.
void sweep(const Boxes& rows, const Boxes& columns, From from, First first_id,
           std::int32_t strip_begin, std::size_t first, std::size_t last, PairBlock& block);

}  // namespace graze::sweep
