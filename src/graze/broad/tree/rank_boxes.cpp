#include "graze/broad/tree/rank_boxes.h"

#include <bit>

#include "graze/broad/radix_sort.h"
#include "graze/broad/with_threads.h"

namespace graze::broad {
namespace {

struct Bound {
  std::uint64_t key;   // has the order of the doubles
  std::uint32_t slot;  // 2 * vertex, + 1 for the upper bound
};

std::uint64_t key_of(double x) {
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  if (bits == sign) return sign;  // -0 equals 0
  return bits & sign ? ~bits : bits | sign;
}

}  // namespace

RankBoxes::RankBoxes(const PairJob& job) : vertices_(job.moving().mesh.vertex_count) {
  const SlabBoxes boxes = job.boxes();
  for_indices(3, [&](std::size_t axis) {
    std::vector<Bound> bounds;
    bounds.reserve(2 * vertices_.size());
    for (std::uint32_t v = 0; v < vertices_.size(); ++v) {
      const auto [lo, hi] = boxes.interval(v, static_cast<int>(axis));
      bounds.push_back({key_of(lo), 2 * v});
      bounds.push_back({key_of(hi), 2 * v + 1});
    }
    radix_sort(bounds, 64, [](const Bound& bound) { return bound.key; });
    std::int32_t rank = -1;
    for (std::size_t i = 0; i < bounds.size(); ++i) {
      rank += i == 0 || bounds[i].key != bounds[i - 1].key;
      RankBox& box = vertices_[bounds[i].slot / 2];
      (bounds[i].slot % 2 ? box.hi : box.lo)[axis] = rank;
    }
    ranks_[axis] = rank + 1;
  });
}

std::array<double, 3> average_lengths(const PairJob& job, const FeatureList& list,
                                      const RankBoxes& boxes) {
  const std::size_t step = list.size / 4096 + 1;
  std::array<double, 3> sum{};
  double sample = 0;
  for (std::size_t i = 0; i < list.size; i += step, ++sample) {
    const RankBox box = boxes(job.corners(list.corners, list[i]));
    for (std::size_t k = 0; k < 3; ++k) sum[k] += box.hi[k] - box.lo[k] + 1;
  }
  for (std::size_t k = 0; k < 3; ++k) sum[k] /= sample * boxes.ranks(k);
  return sum;
}

std::array<double, 3> average_lengths(const PairJob& job, const RankBoxes& boxes) {
  const auto by_corners = [](const FeatureList& a, const FeatureList& b) {
    return a.corners < b.corners;
  };
  return average_lengths(job, *std::max_element(job.lists().begin(), job.lists().end(), by_corners),
                         boxes);
}

}  // namespace graze::broad
