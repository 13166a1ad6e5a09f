#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <string>

#include "bench/harness/scene.h"
#include "graze/find_pairs.h"
#include "test/support/data.h"

namespace graze::bench::find_pairs_data_test {
namespace {

struct SceneCounts {
  const char* name;
  std::size_t edges, vertex_face, edge_edge;
};

class FindPairsOnScene : public testing::TestWithParam<SceneCounts> {};

TEST_P(FindPairsOnScene, FindsTheNumberOfPairsOfTheDataSet) {
  GRAZE_SKIP_WITHOUT_DATA();
  const auto& [name, edges, vertex_face, edge_edge] = GetParam();
  const Scene scene = read_scene(test::data_folder() / "scenes" / name);
  ASSERT_EQ(scene.motion.mesh.edges.size(), edges);
  std::optional<std::uint64_t> hash;
  for (const PairStrategy& strategy : pair_strategies()) {
    if (strategy.set != PairSet::overlapping) continue;
    if (strategy.name == "brute_force" && edges > 30000) continue;
    for (const int threads : {1, 2}) {
      std::array<std::atomic<std::uint64_t>, kind_count> count{}, sum{};  // sum: a hash of the set
      const PairConsumer add = [&](Kind kind, std::span<const Pair> block) {
        std::uint64_t part = 0;
        for (const auto& [a, b] : block) {
          const std::uint64_t mixed = (std::uint64_t{a} << 32 | b) * 0x9e3779b97f4a7c15 + 1;
          part += (mixed ^ mixed >> 29) * 0xbf58476d1ce4e5b9;
        }
        count[std::size_t(kind)] += block.size();
        sum[std::size_t(kind)] += part;
      };
      find_pairs(scene.motion.moving(), add, {}, graze::Run{.threads = threads}, strategy);
      EXPECT_EQ(count[0], vertex_face) << strategy.name;
      EXPECT_EQ(count[1], edge_edge) << strategy.name;
      EXPECT_EQ(hash.value_or(sum[0] + 3 * sum[1]), sum[0] + 3 * sum[1]) << strategy.name;
      hash = sum[0] + 3 * sum[1];
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, FindPairsOnScene,
                         testing::Values(SceneCounts{"armadillo-rollers", 36363, 2031902, 5068080},
                                         SceneCounts{"cloth-ball", 138825, 1655541, 5197332},
                                         SceneCounts{"cloth-funnel", 27930, 7319, 33770}),
                         [](const auto& scene) {
                           std::string name = scene.param.name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace graze::bench::find_pairs_data_test
