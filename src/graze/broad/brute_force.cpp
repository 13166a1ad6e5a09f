#include "graze/broad/brute_force.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "graze/broad/pair_block.h"

namespace graze {
namespace {

struct Feature {
  Corners corners;
  Aabb box;
  std::uint32_t id;
};

std::vector<Feature> features_of(const PairJob& job, const FeatureList& list) {
  std::vector<Feature> features;
  for (std::size_t i = 0; i < list.size; ++i) {
    const Corners corners = job.corners(list.corners, list[i]);
    features.push_back({corners, job.vertex_box(corners[0]), list[i]});
    for (const std::uint32_t corner : corners) features.back().box.include(job.vertex_box(corner));
  }
  return features;
}

}  // namespace

void brute_force(const PairJob& job, const PairConsumer& consumer) {
  for (const Match& match : job.matches()) {
    const bool same = match.a == match.b, ordered = same || match.kind == PairKind::edge_edge ||
                                                    match.kind == PairKind::vertex_vertex;
    const auto as = features_of(job, job.lists()[match.a]);
    const auto bs = features_of(job, job.lists()[match.b]);
    constexpr std::size_t grain = 64;
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, as.size(), grain), [&](const auto& range) {
      PairBlock block(match.kind, consumer);
      for (std::size_t i = range.begin(); i < range.end(); ++i)
        for (std::size_t j = same ? i + 1 : 0; j < bs.size(); ++j) {
          const Feature &a = as[i], &b = bs[j];
          if (!overlap(a.box, b.box) || share_vertex(a.corners, b.corners)) continue;
          block.add(ordered && a.id > b.id ? Pair{b.id, a.id} : Pair{a.id, b.id});
        }
      block.flush();
    });
  }
}

}  // namespace graze
