#include <gtest/gtest.h>

#include <filesystem>

#include "bench/harness/scene.h"
#include "graze/io/query_files.h"
#include "test/support/data.h"
#include "test/support/workload.h"

namespace graze::narrow::bernstein_data_test {
namespace {

struct Tally {
  std::size_t queries = 0, false_positives = 0, false_negatives = 0, late = 0;

  template <class Query>
  void add(const Method& method, const std::vector<Query>& asked,
           const std::vector<std::uint8_t>& truth) {
    ASSERT_EQ(asked.size(), truth.size());
    const auto given = test::answers(method, asked);
    queries += asked.size();
    for (std::size_t i = 0; i < asked.size(); ++i) {
      const bool contact = given[i].verdict == Verdict::contact;
      false_positives += contact && !truth[i];
      false_negatives += !contact && truth[i];
      late += contact && given[i].toi != 0;
    }
  }
};

class BernsteinOnData : public testing::TestWithParam<const char*> {};

TEST_P(BernsteinOnData, MissesNothingOnTheQuerySets) {
  GRAZE_SKIP_WITHOUT_DATA();
  Tally tally;
  const auto add = [&]<class Query>(Query, const std::filesystem::path& file) {
    const auto data = io::read_queries(file);
    const auto queries = data.as<Query>();
    tally.add(*find_method(GetParam()), std::vector<Query>(queries.begin(), queries.end()),
              {data.truth().begin(), data.truth().end()});
  };
  for (const auto& set : std::filesystem::directory_iterator(test::data_folder() / "queries")) {
    add(VertexFace{}, set.path() / "vertex-face.csv");
    add(EdgeEdge{}, set.path() / "edge-edge.csv");
  }
  EXPECT_EQ(tally.queries, 2429u);
  EXPECT_EQ(tally.false_negatives, 0u);
  EXPECT_EQ(tally.late, 0u);
  EXPECT_LT(tally.false_positives, 300u);
}

// Of these, the public code of tight_bernstein misses 194.
TEST_P(BernsteinOnData, MissesNothingOnTheListedPairsOfTheScenes) {
  GRAZE_SKIP_WITHOUT_DATA();
  Tally tally;
  for (const char* name : {"armadillo-rollers", "cloth-ball", "cloth-funnel"}) {
    const bench::Scene scene = bench::read_scene(test::data_folder() / "scenes" / name);
    const auto vertex_faces = scene.listed_vertex_faces();
    const auto edge_edges = scene.listed_edge_edges();
    const Method& method = *find_method(GetParam());
    tally.add(method, vertex_faces, scene.vertex_face.contact);
    tally.add(method, edge_edges, scene.edge_edge.contact);
  }
  EXPECT_EQ(tally.queries, 138179u);
  EXPECT_EQ(tally.false_negatives, 0u);
  EXPECT_EQ(tally.late, 0u);
  EXPECT_LT(tally.false_positives, 50u);
}

INSTANTIATE_TEST_SUITE_P(Methods, BernsteinOnData,
                         testing::Values("tight_bernstein", "bernstein_sign"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace graze::narrow::bernstein_data_test
