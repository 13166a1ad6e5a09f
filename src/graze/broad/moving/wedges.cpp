#include "graze/broad/moving/wedges.h"

#include <algorithm>

namespace graze::broad::tree {

Wedges::Wedges(std::size_t edges, std::size_t vertices, SearchMemory& memory)
    : wedges_(memory.array<Wedge>(edges)),
      faces_(memory.array<std::array<std::uint32_t, 2>>(edges)),
      first_(memory.array<std::uint32_t>(vertices + 1)),
      larger_(memory.array<std::uint32_t>(edges + padding)),
      first_below_(memory.array<std::uint32_t>(vertices + 2)),
      below_(memory.array<std::uint32_t>(edges)) {}

std::size_t Wedges::bytes(std::size_t edges, std::size_t vertices) {
  return SearchMemory::bytes<Wedge>(edges) +
         SearchMemory::bytes<std::array<std::uint32_t, 2>>(edges) +
         SearchMemory::bytes<std::uint32_t>(vertices + 1) +
         SearchMemory::bytes<std::uint32_t>(edges + padding) +
         SearchMemory::bytes<std::uint32_t>(vertices + 2) +
         SearchMemory::bytes<std::uint32_t>(edges);
}

void Wedges::set_edges(const std::uint32_t* first_ends, const std::uint32_t* second_ends,
                       std::span<const std::uint32_t> ids) {
  ids_ = ids;
  const auto count = static_cast<std::uint32_t>(wedges_.size());
  std::fill(first_below_.begin(), first_below_.end(), 0);
  std::fill(larger_.begin() + count, larger_.end(), 0);
  std::size_t next = 0;  // the first vertex whose edges have not been seen
  for (std::uint32_t edge = 0; edge < count; ++edge) {
    const std::uint32_t a = first_ends[edge], b = second_ends[edge];
    wedges_[edge] = {{a, b}, {a, a}};
    larger_[edge] = std::max(a, b);
    ++first_below_[larger_[edge] + 2];
    while (next <= std::min(a, b)) first_[next++] = edge;
  }
  std::fill(first_.begin() + static_cast<std::ptrdiff_t>(next), first_.end(), count);
  for (std::size_t v = 2; v < first_below_.size(); ++v) first_below_[v] += first_below_[v - 1];
  // Until the end of the loop the next edge below v goes to first_below_[v + 1].
  for (std::uint32_t edge = 0; edge < count; ++edge)
    below_[first_below_[larger_[edge] + 1]++] = edge;
}

void Wedges::sort_further_faces() {
  std::sort(further_.begin(), further_.end(),
            [](const Further& x, const Further& y) { return x.edge < y.edge; });
}

std::span<const Wedges::Further> Wedges::further_faces(std::uint32_t edge) const {
  const auto [first, last] =
      std::equal_range(further_.data(), further_.data() + further_.size(), Further{edge, 0, 0},
                       [](const Further& x, const Further& y) { return x.edge < y.edge; });
  return {first, last};
}

}  // namespace graze::broad::tree
