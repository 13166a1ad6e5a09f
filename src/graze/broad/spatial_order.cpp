#include "graze/broad/spatial_order.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

#include "graze/broad/radix_sort.h"

namespace graze {
namespace {

constexpr int max_bits = 14, max_all_bits = 32;  // of an axis, of a code

}  // namespace

std::vector<std::uint32_t> spatial_order(const PairJob& job, const FeatureList& list,
                                         const RankBoxes& boxes) {
  const auto length = average_lengths(job, list, boxes);
  std::array<int, 3> bits;  // of each axis: cells about half as long as a box
  for (std::size_t k = 0; k < 3; ++k)
    bits[k] = std::clamp(static_cast<int>(std::log2(2 / length[k])), 1, max_bits);
  while (bits[0] + bits[1] + bits[2] > max_all_bits) --*std::max_element(bits.begin(), bits.end());
  const int all_bits = bits[0] + bits[1] + bits[2];

  // The highest bit of the code halves the axis that is still to be cut most often, and so on.
  std::array<std::vector<std::uint32_t>, 3> spread;  // the part of the code by cell of an axis
  std::array<double, 3> cells_of_rank;
  for (std::size_t k = 0; k < 3; ++k) {
    spread[k].resize(std::size_t{1} << bits[k]);
    cells_of_rank[k] = static_cast<double>(spread[k].size()) / (2.0 * boxes.ranks(k));
  }
  std::array<int, 3> left = bits;
  for (int bit = all_bits; bit-- > 0;) {
    const auto k =
        static_cast<std::size_t>(std::max_element(left.begin(), left.end()) - left.begin());
    --left[k];
    for (std::size_t cell = 0; cell < spread[k].size(); ++cell)
      spread[k][cell] |= static_cast<std::uint32_t>(cell >> left[k] & 1) << bit;
  }

  struct Coded {
    std::uint32_t code, id;
  };
  std::vector<Coded> coded(list.size);
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, list.size, 8192), [&](const auto& range) {
    for (std::size_t i = range.begin(); i < range.end(); ++i) {
      const RankBox box = boxes(job.corners(list.corners, list[i]));
      coded[i] = {0, list[i]};
      for (std::size_t k = 0; k < 3; ++k) {
        const double twice_middle = static_cast<double>(box.lo[k]) + static_cast<double>(box.hi[k]);
        coded[i].code |= spread[k][static_cast<std::size_t>(twice_middle * cells_of_rank[k])];
      }
    }
  });
  radix_sort(coded, all_bits, [](const Coded& feature) { return feature.code; });
  std::vector<std::uint32_t> order(list.size);
  std::transform(coded.begin(), coded.end(), order.begin(),
                 [](const Coded& feature) { return feature.id; });
  return order;
}

}  // namespace graze
