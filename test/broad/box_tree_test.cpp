#include "graze/broad/strategies/box_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>

#include "test/support/moving_meshes.h"

namespace graze::broad::box_tree_test {
namespace {

Pairs found(const BoxTrees& trees, const PairJob& job) {
  Pairs pairs;
  std::mutex mutex;
  trees.find(job, [&](Kind kind, std::span<const Pair> block) {
    const std::lock_guard lock(mutex);
    pairs.of(kind).insert(pairs.of(kind).end(), block.begin(), block.end());
  });
  for (std::size_t kind = 0; kind < kind_count; ++kind)
    std::sort(pairs.of(Kind(kind)).begin(), pairs.of(Kind(kind)).end());
  return pairs;
}

// The trees are built for other positions and another separation than they are refitted to.
TEST(BoxTrees, FindTheSamePairsAfterARefitAsAfterABuild) {
  const graze::Run run;
  SearchMonitor monitor(run);
  for (std::uint64_t seed = 0; seed < std::size(test::coordinate_families); ++seed) {
    const auto& family = test::coordinate_families[seed];
    SCOPED_TRACE(family.name);
    OwnedMotion motion = test::random_motion(150, 7, test::coordinate_families[0].draw);
    BoxTrees trees(PairJob(motion.moving(), {0, 1}, {}, monitor));
    const PairOptions options{.separation = 0.25};
    const OwnedMotion other = test::random_motion(150, seed, family.draw);
    motion.start = other.start;
    motion.end = other.end;
    const PairJob job(motion.moving(), {0, 1}, options, monitor);
    trees.refit(job);
    const Pairs expected =
        collect_pairs(motion.moving(), options, {}, *find_pair_strategy("brute_force"));
    EXPECT_TRUE(found(trees, job) == expected);
    EXPECT_GT(expected.edge_edge.size(), 0u);
  }
}

TEST(BoxTrees, MayBeEmpty) {
  const Mesh mesh;
  const graze::Run run;
  SearchMonitor monitor(run);
  const PairJob job({mesh, {}, {}}, {0, 1}, {}, monitor);
  BoxTrees trees(job);
  trees.refit(job);
  EXPECT_TRUE(found(trees, job) == Pairs());
}

}  // namespace
}  // namespace graze::broad::box_tree_test
