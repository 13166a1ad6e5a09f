#include "graze/broad/box_tree.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "graze/broad/rank_boxes.h"
#include "graze/broad/spatial_order.h"

namespace graze {
namespace {

using tree::RankPacket, tree::PackedTree, tree::width;

void number(const PairJob& job, const std::vector<std::uint32_t>& order,
            PackedTree<RankPacket>& tree) {
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, order.size(), 8192), [&](const auto& range) {
    for (std::size_t i = range.begin(); i < range.end(); ++i) {
      const Corners corners = job.corners(tree.corner_count, order[i]);
      tree.id[i / width][i % width] = order[i];
      for (std::size_t c = 0; c < tree.corner_count; ++c)
        tree.corners[c][i / width][i % width] = corners[c];
    }
  });
}

}  // namespace

BoxTrees::BoxTrees(const PairJob& job) : matches_(job.matches()), trees_(job.lists().size()) {
  if (matches_.empty()) return;
  const RankBoxes boxes(job);
  tbb::parallel_for(std::size_t{0}, trees_.size(), [&](std::size_t i) {
    trees_[i].resize(job.lists()[i].size, job.lists()[i].corners);
    number(job, spatial_order(job, job.lists()[i], boxes), trees_[i]);
  });
  fit(job, boxes);
}

void BoxTrees::refit(const PairJob& job) {
  if (!matches_.empty()) fit(job, RankBoxes(job));
}

void BoxTrees::fit(const PairJob& job, const RankBoxes& boxes) {
  tbb::parallel_for(std::size_t{0}, trees_.size(), [&](std::size_t t) {
    auto& tree = trees_[t];
    tree.fit([&](RankPacket& packet, std::size_t lane, std::size_t i) {
      packet.set(lane, boxes(job.corners(tree.corner_count, tree.id[i / width][i % width])));
    });
  });
}

void BoxTrees::find(const PairConsumer& consumer) const {
  constexpr std::size_t grain = 128;
  for (const auto& [kind, a, b] : matches_) {
    const auto &tree_a = trees_[a], &tree_b = trees_[b];
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, tree_a.levels[0].size(), grain),
                      [&, kind = kind](const auto& range) {
                        PairBlock block(kind, consumer);
                        tree::find(tree_a, tree_b, range.begin(), range.end(), block);
                        block.flush();
                      });
  }
}

void box_tree(const PairJob& job, const PairConsumer& consumer) {
  BoxTrees(job).find(consumer);
}

}  // namespace graze
