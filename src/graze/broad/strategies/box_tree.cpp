#include "graze/broad/strategies/box_tree.h"

#include "graze/broad/tree/rank_boxes.h"
#include "graze/broad/tree/spatial_order.h"

namespace graze::broad {
namespace {

using tree::RankPacket, tree::PackedTree, tree::width;

// Sets the ids and corners of the features of a tree in the given order.
void number(const PairJob& job, const std::vector<std::uint32_t>& order,
            PackedTree<RankPacket>& tree) {
  for_ranges(order.size(), 8192, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
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
  std::size_t bytes = 0;
  for (const FeatureList& list : job.lists())
    bytes += PackedTree<RankPacket>::bytes(list.size, list.corners);
  memory_.reserve(bytes);
  for_indices(trees_.size(), [&](std::size_t i) {
    trees_[i].resize(job.lists()[i].size, job.lists()[i].corners, memory_);
    number(job, spatial_order(job, job.lists()[i], boxes), trees_[i]);
  });
  fit(job, boxes);
}

void BoxTrees::refit(const PairJob& job) {
  if (!matches_.empty()) fit(job, RankBoxes(job));
}

void BoxTrees::fit(const PairJob& job, const RankBoxes& boxes) {
  for_indices(trees_.size(), [&](std::size_t t) {
    auto& tree = trees_[t];
    tree.fit([&](RankPacket& packet, std::size_t lane, std::size_t i) {
      packet.set(lane, boxes(job.corners(tree.corner_count, tree.id[i / width][i % width])));
    });
  });
}

void BoxTrees::find(const PairJob& job, const PairConsumer& consumer) const {
  constexpr std::size_t grain = 128;
  for (const Match& match : matches_) {
    const auto &tree_a = trees_[match.a], &tree_b = trees_[match.b];
    for_each_part(job, match.kind, tree_a.levels[0].size(), grain, consumer,
                  [&](std::size_t first, std::size_t last, PairBlock& block) {
                    tree::find(tree_a, tree_b, first, last, block);
                  });
  }
}

void box_tree(const PairJob& job, const PairConsumer& consumer) {
  BoxTrees(job).find(job, consumer);
}

}  // namespace graze::broad
