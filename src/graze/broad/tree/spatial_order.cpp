#include "graze/broad/tree/spatial_order.h"

#include <algorithm>
#include <cmath>

#include "graze/broad/radix_sort.h"
#include "graze/broad/with_threads.h"

namespace graze::broad {
namespace {

constexpr int max_bits = 14, max_all_bits = 32;  // of one axis; of a code

}  // namespace

MortonCurve::MortonCurve(const std::array<double, 3>& length,
                         const std::array<std::int32_t, 3>& ranks) {
  std::array<int, 3> bits;  // of each axis, for cells about half as long as a box
  for (std::size_t k = 0; k < 3; ++k)
    bits[k] = std::clamp(static_cast<int>(std::log2(2 / length[k])), 1, max_bits);
  while (bits[0] + bits[1] + bits[2] > max_all_bits) --*std::max_element(bits.begin(), bits.end());
  bits_ = bits[0] + bits[1] + bits[2];
  for (std::size_t k = 0; k < 3; ++k) {
    spread_[k].resize(std::size_t{1} << bits[k]);
    cells_of_rank_[k] = static_cast<double>(spread_[k].size()) / (2.0 * ranks[k]);
  }
  // From the highest bit of the code down, each bit halves the axis with the most bits left.
  for (int bit = bits_; bit-- > 0;) {
    const auto k =
        static_cast<std::size_t>(std::max_element(bits.begin(), bits.end()) - bits.begin());
    --bits[k];
    for (std::size_t cell = 0; cell < spread_[k].size(); ++cell)
      spread_[k][cell] |= static_cast<std::uint32_t>(cell >> bits[k] & 1) << bit;
  }
}

std::vector<std::uint32_t> spatial_order(const PairJob& job, const FeatureList& list,
                                         const RankBoxes& boxes) {
  const MortonCurve curve(average_lengths(job, list, boxes),
                          {boxes.ranks(0), boxes.ranks(1), boxes.ranks(2)});
  struct Coded {
    std::uint32_t code, id;
  };
  std::vector<Coded> coded(list.size);
  for_ranges(list.size, 8192, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      coded[i] = {curve.code(boxes(job.corners(list.corners, list[i]))), list[i]};
  });
  radix_sort(coded, curve.bits(), [](const Coded& feature) { return feature.code; });
  std::vector<std::uint32_t> order(list.size);
  for_ranges(list.size, 8192, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) order[i] = coded[i].id;
  });
  return order;
}

}  // namespace graze::broad
