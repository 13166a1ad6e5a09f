#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "graze/narrow/contact/exact_root.h"
#include "test/support/generated.h"

namespace graze::narrow::exact_pairs_test {
namespace {

// Queries laid out as a mesh of their own, four vertices each.
template <class Query>
struct QueriesAsMesh {
  Mesh mesh;
  std::vector<Vec3> start, end;
  std::vector<Pair> pairs;

  explicit QueriesAsMesh(const std::vector<Query>& queries) {
    mesh.vertex_count = 4 * queries.size();
    for (std::uint32_t i = 0; i < queries.size(); ++i) {
      start.insert(start.end(), queries[i].start.begin(), queries[i].start.end());
      end.insert(end.end(), queries[i].end.begin(), queries[i].end.end());
      mesh.faces.push_back({4 * i + 1, 4 * i + 2, 4 * i + 3});
      mesh.edges.push_back({4 * i, 4 * i + 1});
      mesh.edges.push_back({4 * i + 2, 4 * i + 3});
      pairs.push_back(std::is_same_v<Query, VertexFace> ? Pair{4 * i, i} : Pair{2 * i, 2 * i + 1});
    }
  }
};

bool same(double a, double b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

TEST(ExactPairs, AreAnsweredLikeTheirQueries) {
  std::size_t contacts = 0, invalid = 0;
  for (const generate::Family& family : generate::families())
    test::both(family.name, 200, [&]<class Query>(std::vector<Query> queries) {
      queries[7].end[3][2] = Impact::nan;
      for (const double t_max : {1.0, 0.5}) {
        std::vector<Impact> expected(queries.size());
        ExactTally tally, pair_tally;
        exact_root(std::span<const Query>(queries), {.t_max = t_max}, expected, tally);
        const QueriesAsMesh<Query> as_mesh(queries);
        const auto kind = std::is_same_v<Query, VertexFace> ? Kind::vertex_face : Kind::edge_edge;
        std::vector<IndexedImpact> answers;
        exact_root({as_mesh.mesh, as_mesh.start, as_mesh.end}, kind, as_mesh.pairs,
                   {.t_max = t_max}, answers, pair_tally);
        std::sort(answers.begin(), answers.end(),
                  [](const auto& a, const auto& b) { return a.index < b.index; });
        EXPECT_EQ(pair_tally.total(), queries.size());
        EXPECT_EQ(pair_tally.integer, tally.integer);
        std::size_t next = 0;
        for (std::size_t i = 0; i < queries.size(); ++i) {
          if (expected[i].verdict == Verdict::separated) continue;
          ASSERT_LT(next, answers.size());
          ASSERT_EQ(answers[next].index, i);
          const Impact& impact = answers[next++].impact;
          EXPECT_EQ(impact.verdict, expected[i].verdict);
          EXPECT_EQ(impact.kind, expected[i].kind);
          EXPECT_TRUE(same(impact.toi, expected[i].toi));
          EXPECT_TRUE(same(impact.u, expected[i].u));
          EXPECT_TRUE(same(impact.normal[0], expected[i].normal[0]));
          ++(impact.verdict == Verdict::contact ? contacts : invalid);
        }
        EXPECT_EQ(next, answers.size());
      }
    });
  EXPECT_GT(contacts, 1000u);
  EXPECT_GE(invalid, 4 * generate::families().size());
}

TEST(ExactPairs, AreInvalidWithANonsensicalOption) {
  const QueriesAsMesh<VertexFace> as_mesh(test::generated<VertexFace>(test::family("random"), 3));
  std::vector<IndexedImpact> answers;
  ExactTally tally;
  exact_root({as_mesh.mesh, as_mesh.start, as_mesh.end}, Kind::vertex_face, as_mesh.pairs,
             {.t_max = 0}, answers, tally);
  ASSERT_EQ(answers.size(), 3u);
  EXPECT_EQ(answers[2].impact.verdict, Verdict::invalid);
}

}  // namespace
}  // namespace graze::narrow::exact_pairs_test
