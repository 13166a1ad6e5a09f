#include "graze/broad/box_tree.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <limits>

#include "graze/broad/rank_boxes.h"
#include "graze/broad/spatial_order.h"

namespace graze {
namespace {

using tree::Packet, tree::PackedTree, tree::width;

constexpr RankBox empty_box = {{INT32_MAX, INT32_MAX, INT32_MAX},
                               {INT32_MIN, INT32_MIN, INT32_MIN}};

void set_lane(Packet& packet, std::size_t i, const RankBox& box) {
  for (std::size_t k = 0; k < 3; ++k) {
    packet.lo[k][i] = box.lo[k];
    packet.hi[k][i] = box.hi[k];
  }
}

RankBox around(const Packet& packet) {
  RankBox box;
  for (std::size_t k = 0; k < 3; ++k) {
    box.lo[k] = *std::min_element(packet.lo[k].begin(), packet.lo[k].end());
    box.hi[k] = *std::max_element(packet.hi[k].begin(), packet.hi[k].end());
  }
  return box;
}

// Sets the level's packets so that lane i of packet p is box(p * width + i), for `count` boxes.
template <class BoxOf>
void fit_level(std::vector<Packet>& level, std::size_t count, BoxOf&& box) {
  level.resize((count + width - 1) / width);
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, level.size(), 1024), [&](const auto& range) {
    for (std::size_t p = range.begin(); p < range.end(); ++p)
      for (std::size_t i = 0; i < width; ++i)
        set_lane(level[p], i, p * width + i < count ? box(p * width + i) : empty_box);
  });
}

void number(const PairJob& job, PackedTree& tree) {
  const std::size_t packets = (tree.order.size() + width - 1) / width;
  tree.id.resize(packets);
  for (std::size_t c = 0; c < tree.corner_count; ++c) tree.corners[c].resize(packets);
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, tree.order.size(), 8192),
                    [&](const auto& range) {
                      for (std::size_t i = range.begin(); i < range.end(); ++i) {
                        const std::uint32_t id = tree.order[i];
                        const Corners corners = job.corners(tree.corner_count, id);
                        tree.id[i / width][i % width] = id;
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
    trees_[i].corner_count = job.lists()[i].corners;
    trees_[i].order = spatial_order(job, job.lists()[i], boxes);
    number(job, trees_[i]);
  });
  fit(job, boxes);
}

void BoxTrees::refit(const PairJob& job) {
  if (!matches_.empty()) fit(job, RankBoxes(job));
}

void BoxTrees::fit(const PairJob& job, const RankBoxes& boxes) {
  tbb::parallel_for(std::size_t{0}, trees_.size(), [&](std::size_t t) {
    PackedTree& tree = trees_[t];
    const auto box = [&](std::size_t i) {
      return boxes(job.corners(tree.corner_count, tree.order[i]));
    };
    std::size_t level = 0, count = tree.order.size();
    tree.levels.resize(1);
    fit_level(tree.levels[0], count, box);
    do {
      count = tree.levels[level++].size();
      tree.levels.resize(level + 1);
      fit_level(tree.levels[level], count,
                [&](std::size_t p) { return around(tree.levels[level - 1][p]); });
    } while (tree.levels[level].size() > 1);
  });
}

void BoxTrees::find(const PairConsumer& consumer) const {
  constexpr std::size_t grain = 128;
  for (const auto& [kind, a, b] : matches_) {
    const PackedTree &tree_a = trees_[a], &tree_b = trees_[b];
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
