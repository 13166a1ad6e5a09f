#pragma once

#include <gtest/gtest.h>

#include <type_traits>
#include <utility>
#include <vector>

#include "bench/harness/scene.h"
#include "test/support/data.h"
#include "test/support/root_census.h"
#include "test/support/workload.h"

namespace graze::test {

// Returns a face, or edge a, in the plane z = (2t - 1) x, and a vertex, or edge b along y, at
// x = t - 1/2 and a constant height. Their difference in z is 2 (t - 1/2)^2 - height. At height 1/8
// they meet at 1/4 and at 3/4; at height 0 they touch without passing at 1/2.
template <class Query>
Query twice(double height) {
  if constexpr (std::is_same_v<Query, VertexFace>)
    return {{Vec3(-0.5, 0, height), {-1, -1, 1}, {1, -1, -1}, {0, 1, 0}},
            {Vec3(0.5, 0, height), {-1, -1, -1}, {1, -1, 1}, {0, 1, 0}}};
  else
    return {{Vec3(-1, 0, 1), {1, 0, -1}, {-0.5, -1, height}, {-0.5, 1, height}},
            {Vec3(-1, 0, -1), {1, 0, 1}, {0.5, -1, height}, {0.5, 1, height}}};
}

// Checks a parity method on every `stride`-th listed pair of the scenes: there must be no false
// positive, and every false negative must have an even number of contacts, none of them at a
// border. Returns the number of queries and the number of false negatives.
inline std::pair<std::size_t, std::size_t> check_listed_pairs(const Method& method,
                                                              std::size_t stride) {
  std::size_t asked = 0, missed = 0;
  for (const auto& folder : std::filesystem::directory_iterator(data_folder() / "scenes")) {
    SCOPED_TRACE(folder.path().filename().string());
    const bench::Scene scene = bench::read_scene(folder.path());
    const MovingMesh moving = scene.motion.moving();
    const auto check = [&](const bench::ListedPairs& listed, auto query) {
      std::vector<decltype(query)> queries;
      std::vector<std::uint8_t> contact;
      for (std::size_t i = 0; i < listed.pairs.size(); i += stride) {
        const Pair pair = listed.pairs[i];
        if constexpr (std::is_same_v<decltype(query), VertexFace>)
          queries.push_back(moving.vertex_face(pair.a, pair.b));
        else
          queries.push_back(moving.edge_edge(pair.a, pair.b));
        contact.push_back(listed.contact[i]);
      }
      const auto given = answers(method, queries);
      for (std::size_t i = 0; i < given.size(); ++i) {
        const bool found = given[i].verdict == Verdict::contact;
        EXPECT_LE(found, contact[i] != 0) << "false positive " << i;
        if (found || contact[i] == 0) continue;
        const RootCensus census = root_census(queries[i]);
        EXPECT_TRUE(census.inside > 0 && census.inside % 2 == 0 && !census.border) << i;
        ++missed;
      }
      asked += given.size();
    };
    check(scene.vertex_face, VertexFace{});
    check(scene.edge_edge, EdgeEdge{});
  }
  return {asked, missed};
}

}  // namespace graze::test
