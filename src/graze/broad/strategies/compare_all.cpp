#include "graze/broad/strategies/compare_all.h"
#include "graze/broad/with_threads.h"

namespace graze::broad {
namespace {

bool overlap(const RankBox& a, const RankBox& b) {
  bool apart = false;
  for (std::size_t k = 0; k < 3; ++k) {
    apart |= a.lo[k] > b.hi[k];
    apart |= b.lo[k] > a.hi[k];
  }
  return !apart;
}

bool begin_in(const RankBox& part, const RankBox& a, const RankBox& b) {
  bool inside = true;
  for (std::size_t k = 0; k < 3; ++k) {
    const std::int32_t begin = std::max(a.lo[k], b.lo[k]);
    inside &= part.lo[k] <= begin;
    inside &= begin <= part.hi[k];
  }
  return inside;
}

}  // namespace

std::vector<RankFeature> rank_features(const PairJob& job, const FeatureList& list,
                                       const RankBoxes& boxes) {
  std::vector<RankFeature> features(list.size);
  for_indices(list.size, [&](std::size_t i) {
    features[i] = {boxes(job.corners(list.corners, list[i])), list[i]};
  });
  return features;
}

void compare_all(const PairJob& job, const Match& match, std::span<const RankFeature> as,
                 std::span<const RankFeature> bs, const RankBox& part, PairBlock& block) {
  const std::size_t corners_a = job.lists()[match.a].corners;
  const std::size_t corners_b = job.lists()[match.b].corners;
  for (std::size_t i = 0; i < as.size(); ++i) {
    const RankFeature& a = as[i];
    for (const RankFeature& b : match.a == match.b ? bs.subspan(i + 1) : bs)
      if (overlap(a.box, b.box) && begin_in(part, a.box, b.box) &&
          !share_vertex(job.corners(corners_a, a.id), job.corners(corners_b, b.id)))
        block.add(corners_a == corners_b && a.id > b.id ? Pair{b.id, a.id} : Pair{a.id, b.id});
  }
}

}  // namespace graze::broad
