#include "graze/broad/tree/rank_boxes.h"

#include <bit>
#include <numeric>

#include "graze/broad/radix_sort.h"
#include "graze/broad/search_memory.h"
#include "graze/broad/with_threads.h"

namespace graze::broad {
namespace {

std::uint64_t key_of(double x) {
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  if (bits == sign) return sign;  // -0 equals 0
  return bits & sign ? ~bits : bits | sign;
}

}  // namespace

std::int32_t RankBoxes::rank(std::span<const Bound> bounds, std::size_t axis) {
  constexpr std::size_t part_size = 1 << 15;
  const std::size_t parts = (bounds.size() + part_size - 1) / part_size;
  const auto is_new = [&](std::size_t i) { return i == 0 || bounds[i].key != bounds[i - 1].key; };
  const auto end_of = [&](std::size_t part) {
    return std::min((part + 1) * part_size, bounds.size());
  };
  std::vector<std::int32_t> ranks(parts + 1);  // before each part
  for_indices(parts, [&](std::size_t part) {
    std::int32_t sum = 0;
    for (std::size_t i = part * part_size; i < end_of(part); ++i) sum += is_new(i);
    ranks[part + 1] = sum;
  });
  std::partial_sum(ranks.begin(), ranks.end(), ranks.begin());
  for_indices(parts, [&](std::size_t part) {
    std::int32_t rank = ranks[part] - 1;
    for (std::size_t i = part * part_size; i < end_of(part); ++i) {
      rank += is_new(i);
      RankBox& box = vertices_[bounds[i].slot / 2];
      (bounds[i].slot % 2 ? box.hi : box.lo)[axis] = rank;
    }
  });
  return ranks.back();
}

RankBoxes::RankBoxes(const PairJob& job) : vertices_(job.moving().mesh.vertex_count) {
  const SlabBoxes boxes = job.boxes();
  const std::size_t count = 2 * vertices_.size();
  SearchMemory memory;
  memory.reserve(6 * SearchMemory::bytes<Bound>(count));
  for_indices(3, [&](std::size_t axis) {
    std::span<Bound> bounds = memory.array<Bound>(count);
    for_ranges(vertices_.size(), 8192, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const auto v = static_cast<std::uint32_t>(i);
        const auto [lo, hi] = boxes.interval(v, static_cast<int>(axis));
        bounds[2 * i] = {key_of(lo), 2 * v};
        bounds[2 * i + 1] = {key_of(hi), 2 * v + 1};
      }
    });
    bounds = radix_sort(bounds, memory.array<Bound>(count), 64,
                        [](const Bound& bound) { return bound.key; });
    ranks_[axis] = rank(bounds, axis);
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
