#include "graze/broad/strategies/brute_force.h"

#include "graze/broad/pair_block.h"

namespace graze::broad {
namespace {

struct Feature {
  Corners corners;
  Aabb box;
  std::uint32_t id;
};

std::vector<Feature> features_of(const PairJob& job, const FeatureList& list) {
  std::vector<Feature> features;
  const SlabBoxes boxes = job.boxes();
  for (std::size_t i = 0; i < list.size; ++i) {
    const Corners corners = job.corners(list.corners, list[i]);
    features.push_back({corners, boxes(corners[0]), list[i]});
    for (const std::uint32_t corner : corners) features.back().box.include(boxes(corner));
  }
  return features;
}

}  // namespace

void brute_force(const PairJob& job, const PairConsumer& consumer) {
  for (const Match& match : job.matches()) {
    const bool same = match.a == match.b,
               ordered = same || match.kind == Kind::edge_edge || match.kind == Kind::vertex_vertex;
    const auto as = features_of(job, job.lists()[match.a]);
    const auto bs = features_of(job, job.lists()[match.b]);
    constexpr std::size_t grain = 64;
    const auto compare = [&](std::size_t first, std::size_t last, PairBlock& block) {
      for (std::size_t i = first; i < last; ++i)
        for (std::size_t j = same ? i + 1 : 0; j < bs.size(); ++j) {
          const Feature &a = as[i], &b = bs[j];
          if (!overlap(a.box, b.box) || share_vertex(a.corners, b.corners)) continue;
          block.add(ordered && a.id > b.id ? Pair{b.id, a.id} : Pair{a.id, b.id});
        }
    };
    for_each_part(job, match.kind, as.size(), grain, consumer, compare);
  }
}

}  // namespace graze::broad
