#include "bench/harness/scene_pairs.h"

#include <gtest/gtest.h>

#include <numeric>

#include "graze/exact/judge/oracle.h"
#include "test/support/data.h"

namespace graze::bench::scene_pairs_test {
namespace {

TEST(ScenePairs, CarryTheTruthOfEveryPair) {
  GRAZE_SKIP_WITHOUT_DATA();
  const ScenePairs all = read_scene_pairs(test::data_folder() / "scenes" / "cloth-funnel");
  const auto check = [&]<class Query>(const std::vector<Pair>& pairs,
                                      const std::vector<std::uint8_t>& truth, std::size_t contacts,
                                      Query) {
    ASSERT_EQ(truth.size(), pairs.size());
    EXPECT_EQ(std::accumulate(truth.begin(), truth.end(), std::size_t{0}), contacts);
    std::vector<Query> queries(pairs.size());
    fill_queries(all.scene.motion.moving(), pairs, queries);
    for (std::size_t i = 0; i < pairs.size(); ++i)
      ASSERT_EQ(exact::oracle(queries[i]).verdict == Verdict::contact, truth[i] == 1) << i;
  };
  check(all.pairs.vertex_face, all.vertex_face_truth, 27, VertexFace());
  check(all.pairs.edge_edge, all.edge_edge_truth, 107, EdgeEdge());
}

TEST(ScenePairs, AreSampledEvenlyWithoutRepetition) {
  for (const std::size_t size : {0u, 1u, 7u, 1000u, 5197332u})
    for (const std::size_t count : {1u, 7u, 300u, 1000u}) {
      const auto chosen = sample(size, count, 1);
      EXPECT_EQ(chosen.size(), std::min(size, count));
      EXPECT_EQ(chosen, sample(size, count, 1));
      EXPECT_TRUE(chosen.empty() || chosen.back() < size);
      EXPECT_EQ(std::adjacent_find(chosen.begin(), chosen.end(), std::greater_equal<>()),
                chosen.end());
    }
  EXPECT_NE(sample(1000, 10, 1), sample(1000, 10, 2));
}

}  // namespace
}  // namespace graze::bench::scene_pairs_test
