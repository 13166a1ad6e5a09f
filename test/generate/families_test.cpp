#include "graze/generate/families.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include <set>
#include <string>

#include "test/support/coplanarity.h"
#include "test/support/generated.h"
#include "test/support/hash.h"

namespace graze::generate::families_test {
namespace {

using test::both;
using test::both_each;
using test::Cubic;
using test::family;
using test::generated;
using test::hash;

// Hashes of the first 64 queries with seed 1 (vertex-face, edge-edge). A changed hash means that
// all generated sets change: update it only on purpose, from the row that the failing test prints.
struct Expected {
  std::string_view name;
  std::uint64_t vertex_face, edge_edge;
};
constexpr Expected expected[] = {
    {"random", 0x0ce4776fe755aa39, 0x7a58c3cc0d285e59},
    {"simulation_like", 0xa472c03d0f997b37, 0x142f4c5f04121598},
    {"lattice1", 0xb0f44c2ce0539699, 0x02886dcc67df71ef},
    {"lattice2", 0x42acba1957ee1abe, 0x4ab5371ee96358d4},
    {"lattice4", 0x572e0bd9698a50c2, 0x63b84edb6d3fdc62},
    {"touching", 0xf9e35494d17d5b57, 0x1d9e47d05aeb8b9d},
    {"near_ulp", 0x790f258165166498, 0x38fb07bc5298a113},
    {"lattice_contact", 0xed48f321b8caf4f9, 0x022c91f5cf9db525},
    {"near_lattice", 0xa6c96d79ff29d126, 0x060bb3d824b85ce8},
    {"coplanar", 0x52273a3e8cb6b868, 0xc4684d7414117199},
    {"rotating_plane", 0xf4845084656c001d, 0x311639c39aa9b78c},
    {"sliding", 0xf86e4a41837ccf6c, 0x49d7a50ac80f8e0c},
    {"parallel", 0x4cc58d993b71d8d1, 0x10a378ed9a3a7c62},
    {"collinear", 0x836e1e5513660fda, 0xadd0d8c8dc542e33},
    {"static", 0x95d4b92558343ef8, 0x1df9bbb21b53dfc3},
    {"translation", 0xb0e75f37cda43a69, 0x30274edba75542d6},
    {"collapsing", 0x25d61dd038cc4f2d, 0xc2231eda46ce0a16},
    {"flipping", 0x18a500a88e6204e3, 0x99aee26276c23042},
    {"hourglass", 0x237d49fc71d1e20d, 0xf106af71cd5e4347},
    {"double_root", 0x6a609b240c5633e6, 0x6a61edb6d71bd083},
    {"near_double_root", 0x89ae96a8bbf7395f, 0xb4766faac39f299d},
    {"triple_root", 0x7c2d313c3609429d, 0xd31287310e089ac6},
    {"three_roots", 0x6ebc2b4186a618a3, 0x681d4342cd1f1d79},
    {"contact_at_start", 0x35548828b8a91128, 0xe0fcffd711dea68d},
    {"contact_at_end", 0x433ea718595001d6, 0x870f8e9e7489fb74},
    {"near_start", 0xc1ba1c9992e87a97, 0x7807482a4f710fb6},
    {"near_end", 0x9037a2d48edb2a1f, 0xf93f641811590f92},
    {"shared_vertex", 0xe27030c98b774b2b, 0xe4d24af1f5460204},
    {"degenerate_primitive", 0x8b3954fbde122b9c, 0xa6a717e1e3c29ea6},
    {"offset_1e6", 0xcee1ad262237958d, 0x1903b95cb687cecf},
    {"offset_1e9", 0x7b244b91e71d5743, 0x757b45e77e777941},
    {"scale_1e-9", 0x372931199a0fbd93, 0xf45827094f13f09c},
    {"tiny_1e-300", 0xc4d3bbef6a1329ea, 0xa8be4adbaa7ca728},
    {"huge_1e300", 0x098e4f4723b8cf2a, 0xaa98a0478f54a1ab},
    {"mixed_magnitudes", 0xace0a4c12afb1d68, 0xc54fdc01fc4b163d},
    {"denormal", 0x14ec5d7def0867cb, 0x897c2802de33b75a},
};

bool is_zero(const Cubic& cubic) {
  return cubic == Cubic{};
}

TEST(Families, AreFoundByTheirUniqueNames) {
  std::set<std::string_view> names;
  for (const Family& row : families()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_EQ(find_family(row.name), &row);
    EXPECT_FALSE(row.description.empty());
  }
  EXPECT_EQ(find_family("no such family"), nullptr);
}

TEST(Families, GiveThePinnedBits) {
  ASSERT_EQ(std::size(expected), families().size());
  for (std::size_t i = 0; i < families().size(); ++i) {
    const Family& row = families()[i];
    const auto vf = hash(generated<VertexFace>(row, 64)), ee = hash(generated<EdgeEdge>(row, 64));
    EXPECT_TRUE(row.name == expected[i].name && vf == expected[i].vertex_face &&
                ee == expected[i].edge_edge)
        << std::hex << "{\"" << row.name << "\", 0x" << vf << ", 0x" << ee << ",";
  }
}

TEST(Families, DependOnSeedAndIndexAlone) {
  for (const Family& row : families())
    both(row.name, 40, [&](const auto& queries) {
      using Query = typename std::decay_t<decltype(queries)>::value_type;
      const auto prefix = generated<Query>(row, 7);
      EXPECT_EQ(hash(prefix), hash(std::vector(queries.begin(), queries.begin() + 7)));
      EXPECT_NE(hash(queries), hash(generated<Query>(row, 40, 2)));
      std::set<std::uint64_t> distinct;
      for (const Query& query : queries) distinct.insert(hash(std::vector{query}));
      EXPECT_GT(distinct.size(), 35u);
    });
}

TEST(Families, AreFinite) {
  for (const Family& row : families())
    both_each(row.name, 20000, [](const auto& query) { ASSERT_TRUE(is_finite(query)); });
}

TEST(Families, CoplanarMotionsAreCoplanarAtAllTimes) {
  for (const auto name : {"coplanar", "rotating_plane", "sliding", "collinear"})
    both_each(name, 300, [](const auto& query) { EXPECT_TRUE(is_zero(test::coplanarity(query))); });
  for (const EdgeEdge& query : generated<EdgeEdge>(family("parallel"), 300))
    EXPECT_TRUE(is_zero(test::coplanarity(query)));
}

TEST(Families, VerticesOfParallelKeepTheirHeightOverTheFace) {
  int above = 0;
  for (const VertexFace& query : generated<VertexFace>(family("parallel"), 300)) {
    const Cubic cubic = test::coplanarity(query);
    EXPECT_TRUE(cubic[1] == 0 && cubic[2] == 0 && cubic[3] == 0);
    above += cubic[0] != 0;
  }
  EXPECT_GT(above, 30);
}

TEST(Families, RotatingPlanesTurn) {
  int turning = 0;
  for (const VertexFace& query : generated<VertexFace>(family("rotating_plane"), 300)) {
    const auto normal = [](const auto& c) { return (c[2] - c[1]).cross(c[3] - c[1]).eval(); };
    turning += normal(query.start).cross(normal(query.end)).norm() > 0;
  }
  EXPECT_GT(turning, 150);
}

TEST(Families, MultipleRootsAreMultiple) {
  int genuine = 0;
  both_each("double_root", 300, [&](const auto& query) {
    const auto [d, c, b, a] = test::coplanarity(query);
    EXPECT_EQ(18 * a * b * c * d - 4 * b * b * b * d + b * b * c * c - 4 * a * c * c * c -
                  27 * a * a * d * d,
              0);
    genuine += b * b != 3 * a * c;
  });
  EXPECT_GT(genuine, 300);
  genuine = 0;
  both_each("triple_root", 300, [&](const auto& query) {
    const auto [d, c, b, a] = test::coplanarity(query);
    EXPECT_TRUE(b * b == 3 * a * c && b * c == 9 * a * d && c * c == 3 * b * d);
    genuine += a != 0;
  });
  EXPECT_GT(genuine, 300);
}

TEST(Families, ThreeRootsHaveThreeRoots) {
  int genuine = 0;
  both_each("three_roots", 300, [&](const auto& query) {
    const auto [d, c, b, a] = test::coplanarity(query);
    const auto discriminant = 18 * a * b * c * d - 4 * b * b * b * d + b * b * c * c -
                              4 * a * c * c * c - 27 * a * a * d * d;
    EXPECT_GE(discriminant, 0);
    genuine += discriminant > 0;
  });
  EXPECT_GT(genuine, 300);
}

TEST(Families, StaticQueriesDoNotMove) {
  both_each("static", 300, [](const auto& query) { EXPECT_EQ(query.start, query.end); });
}

TEST(Families, TranslationsKeepTheShapes) {
  const auto kept = [](const auto& query, std::size_t i, std::size_t j) {
    return query.start[i] - query.start[j] == query.end[i] - query.end[j];
  };
  both_each("translation", 300, [&](const auto& query) {
    EXPECT_TRUE(kept(query, 2, 3));
    if (std::is_same_v<decltype(query), const VertexFace&>)
      EXPECT_TRUE(kept(query, 1, 2));
    else
      EXPECT_TRUE(kept(query, 0, 1));
  });
}

TEST(Families, HugeDifferencesOverflow) {
  int overflows = 0;
  both_each("huge_1e300", 300,
            [&](const auto& query) { overflows += !(query.end[2] - query.end[0]).allFinite(); });
  EXPECT_GT(overflows, 20);
}

TEST(Families, DenormalsAreDenormal) {
  int denormal = 0;
  both_each("denormal", 300, [&](const auto& query) {
    denormal += query.start[0].cwiseAbs().maxCoeff() < std::numeric_limits<double>::min();
  });
  EXPECT_GT(denormal, 500);
}

TEST(Families, DegeneratePrimitivesHaveNoArea) {
  for (const VertexFace& query : generated<VertexFace>(family("degenerate_primitive"), 300))
    for (const auto& c : {query.start, query.end})
      EXPECT_EQ((c[2] - c[1]).cross(c[3] - c[1]), Vec3::Zero().eval());
  for (const EdgeEdge& q : generated<EdgeEdge>(family("degenerate_primitive"), 300))
    EXPECT_TRUE((q.start[0] == q.start[1] && q.end[0] == q.end[1]) ||
                (q.start[2] == q.start[3] && q.end[2] == q.end[3]));
}

}  // namespace
}  // namespace graze::generate::families_test
