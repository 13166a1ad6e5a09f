#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "graze/broad/find_pairs.h"

namespace graze::sweep {

// Boxes in the order of the sweep, one array per quantity, each with `padding` more elements.
struct Columns {
  std::array<const std::int32_t*, 4> across;    // lo, hi, lo, hi on the two axes across the sweep
  std::array<const std::uint32_t*, 3> corners;  // as many as the features have
  const std::uint32_t* id;
};

inline constexpr std::size_t padding = 16;

// The box the sweep stands at.
struct Row {
  std::array<std::int32_t, 4> across;
  std::array<std::uint32_t, 3> corners;
  std::uint32_t id;
  std::int32_t begin, end;  // along the sweep
};

// Writes the pairs of the row with the columns begin <= i < end that overlap on both axes across
// and share no corner, and returns their number. `pairs` has room for end - begin + padding.
std::size_t faces_of_vertex(const Row&, const Columns&, std::size_t begin, std::size_t end, Pair*);
std::size_t vertices_of_face(const Row&, const Columns&, std::size_t begin, std::size_t end, Pair*);
std::size_t edges_of_edge(const Row&, const Columns&, std::size_t begin, std::size_t end, Pair*);

}  // namespace graze::sweep
