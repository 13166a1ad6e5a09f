#include "graze/broad/box_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>

#include "test/support/moving_meshes.h"

namespace graze {
namespace {

Pairs found(const BoxTrees& trees) {
  Pairs pairs;
  std::mutex mutex;
  trees.find([&](PairKind kind, std::span<const Pair> block) {
    const std::lock_guard lock(mutex);
    pairs.of(kind).insert(pairs.of(kind).end(), block.begin(), block.end());
  });
  for (std::size_t kind = 0; kind < pair_kinds; ++kind)
    std::sort(pairs.of(PairKind(kind)).begin(), pairs.of(PairKind(kind)).end());
  return pairs;
}

// Whatever the mesh has become: the trees were built for other positions and another separation.
TEST(BoxTrees, AreAsRightAfterARefitAsAfterABuild) {
  for (std::uint64_t seed = 0; seed < std::size(test::coordinate_families); ++seed) {
    const auto& family = test::coordinate_families[seed];
    SCOPED_TRACE(family.name);
    io::MeshMotion motion = test::random_motion(150, 7, test::coordinate_families[0].draw);
    BoxTrees trees(PairJob(motion.moving(), {}));
    const PairOptions options{.separation = 0.25};
    const io::MeshMotion other = test::random_motion(150, seed, family.draw);
    motion.start = other.start;
    motion.end = other.end;
    trees.refit(PairJob(motion.moving(), options));
    const Pairs expected =
        collect_pairs(*find_pair_strategy("brute_force"), motion.moving(), options);
    EXPECT_TRUE(found(trees) == expected);
    EXPECT_GT(expected.edge_edge.size(), 0u);
  }
}

TEST(BoxTrees, MayHaveNothingInThem) {
  const Mesh mesh;
  const PairJob job({mesh, {}, {}}, {});
  BoxTrees trees(job);
  trees.refit(job);
  EXPECT_TRUE(found(trees) == Pairs());
}

}  // namespace
}  // namespace graze
