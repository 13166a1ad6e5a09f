#include "graze/broad/find_pairs.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>
#include <immintrin.h>

#include <atomic>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

#include "bench/scene.h"
#include "graze/core/aabb.h"
#include "test/support/data.h"
#include "test/support/moving_meshes.h"

namespace graze {
namespace {

using test::CoordinateFamily, test::coordinate_families;
using test::random_motion, test::sheet;
using Rational = boost::multiprecision::cpp_rational;
using Limits = std::numeric_limits<double>;

// Calls check(motion) for the sheet and every family of coordinates.
template <class Check>
void for_each_family(std::size_t vertices, Check&& check) {
  check(sheet(12));
  std::uint64_t seed = 0;
  for (const CoordinateFamily& family : coordinate_families) {
    SCOPED_TRACE(family.name);
    check(random_motion(vertices, ++seed, family.draw));
  }
}

Pairs reference(const MovingMesh& moving, double separation = 0) {
  return collect_pairs(*find_pair_strategy("brute_force"), moving, {.separation = separation});
}

TEST(FindPairs, AllStrategiesAndThreadsGiveTheSamePairs1) {
  std::size_t found = 0, possible = 0;
  for_each_family(100, [&](const io::MeshMotion& motion) {
    for (const double separation : {0.0, 1e-3, 1.0, Limits::denorm_min(), Limits::max()}) {
      const Pairs expected = reference(motion.moving(), separation);
      found += expected.vertex_face.size();
      possible += motion.mesh.vertex_count * motion.mesh.faces.size();
      for (const PairStrategy& strategy : pair_strategies())
        for (const int threads : {1, 2, 0})
          EXPECT_TRUE(collect_pairs(strategy, motion.moving(),
                                    {.separation = separation, .threads = threads}) == expected)
              << strategy.name << ", " << threads << " threads, separation " << separation;
    }
  });
  EXPECT_GT(found, possible / 10);  // neither nearly none
  EXPECT_LT(found, possible * 9 / 10);
}

TEST(FindPairs, EveryInstructionSetGivesTheSamePairs1) {
  for_each_family(80, [&](const io::MeshMotion& motion) {
    const Pairs expected = reference(motion.moving());
    const std::int64_t targets = hwy::SupportedTargets();
    for (std::int64_t rest = targets; rest != 0; rest &= rest - 1) {
      hwy::SetSupportedTargetsForTest(rest & -rest);
      hwy::GetChosenTarget().Update(hwy::SupportedTargets());
      for (const PairStrategy& strategy : pair_strategies())
        EXPECT_TRUE(collect_pairs(strategy, motion.moving()) == expected)
            << strategy.name << " on " << hwy::TargetName(rest & -rest);
    }
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  });
}

TEST(FindPairs, TheHostsFloatingPointModeDoesNotMatter2) {
  for_each_family(40, [&](const io::MeshMotion& motion) {
    for (const double separation : {0.0, 0.3, 3 * Limits::denorm_min()}) {
      const Pairs expected = reference(motion.moving(), separation);
      for (const unsigned mode : {0x8040u, 0x2000u, 0x4000u, 0xe040u}) {  // FTZ+DAZ, down, up, all
        const unsigned saved = _mm_getcsr();
        _mm_setcsr(saved | mode);
        for (const PairStrategy& strategy : pair_strategies())
          for (const int threads : {1, 2})
            EXPECT_TRUE(collect_pairs(strategy, motion.moving(),
                                      {.separation = separation, .threads = threads}) == expected)
                << strategy.name << " in mode " << mode;
        EXPECT_EQ(_mm_getcsr() & 0xffc0, (saved | mode) & 0xffc0);
        _mm_setcsr(saved);
      }
    }
  });
}

TEST(FindPairs, NamesEachPairOnceAndNoneThatSharesAVertex1) {
  const auto motion = random_motion(200, 5, coordinate_families[1].draw);
  const Mesh& mesh = motion.mesh;
  for (const PairStrategy& strategy : pair_strategies()) {
    const auto [vertex_face, edge_edge, vertex_edge, vertex_vertex] =
        collect_pairs(strategy, motion.moving());
    EXPECT_EQ(std::adjacent_find(vertex_face.begin(), vertex_face.end()), vertex_face.end());
    EXPECT_EQ(std::adjacent_find(edge_edge.begin(), edge_edge.end()), edge_edge.end());
    for (const auto& [vertex, face] : vertex_face)
      EXPECT_EQ(std::count(mesh.faces[face].begin(), mesh.faces[face].end(), vertex), 0);
    for (const auto& [a, b] : edge_edge) {
      EXPECT_LT(a, b);
      for (const std::uint32_t corner : mesh.edges[a])
        EXPECT_EQ(std::count(mesh.edges[b].begin(), mesh.edges[b].end(), corner), 0);
    }
  }
}

// Two rods whose distance is the separation, or just below it where no double is at it.
TEST(FindPairs, FindsWhatIsExactlyAtTheSeparation2) {
  const Mesh mesh = make_mesh(4, {}, std::vector{Edge{0, 1}, Edge{2, 3}});
  for (const double gap : {0.3, 1.0, 1e-310, 1e300, 3 * Limits::denorm_min()})
    for (const double x : {0.0, 0.1, 1.0, -7.5, 1e-310}) {
      double far = x + gap;
      while (Rational(far) - Rational(x) > Rational(gap)) far = std::nextafter(far, x);
      const std::vector<Vec3> points = {{x, -1, 0}, {x, 1, 0}, {far, 0, -1}, {far, 0, 1}};
      for (const PairStrategy& strategy : pair_strategies()) {
        EXPECT_EQ(
            collect_pairs(strategy, {mesh, points, points}, {.separation = gap}).edge_edge.size(),
            1u)
            << strategy.name << " " << x << " " << gap;
        EXPECT_TRUE(far == x || collect_pairs(strategy, {mesh, points, points}).edge_edge.empty());
      }
    }
}

TEST(FindPairs, HandsOverBoundedBlocks3) {
  const auto motion = random_motion(600, 3, coordinate_families[2].draw);  // everything overlaps
  for (const PairStrategy& strategy : pair_strategies()) {
    std::size_t blocks = 0, pairs = 0;
    find_pairs(strategy, motion.moving(), {}, [&](PairKind, std::span<const Pair> block) {
      ++blocks;
      pairs += block.size();
      EXPECT_GT(block.size(), 0u);
      EXPECT_LE(block.size(), max_pair_block);
    });
    EXPECT_GT(pairs, 800'000u);
    EXPECT_LT(blocks, 5 * pairs / max_pair_block) << "most are well filled";
  }
}

TEST(FindPairs, ThrowsOnWhatTheConsumerThrows) {
  const auto motion = random_motion(100, 3, coordinate_families[2].draw);
  for (const PairStrategy& strategy : pair_strategies())
    for (const int threads : {1, 2})
      EXPECT_THROW(find_pairs(strategy, motion.moving(), {.threads = threads},
                              [](PairKind, std::span<const Pair>) { throw std::domain_error(""); }),
                   std::domain_error);
}

TEST(FindPairs, TakesMeshesWithoutFacesEdgesOrVertices) {
  const std::vector<Vec3> points(4, Vec3::Zero()), two(2, Vec3::Zero()), point(1, Vec3::Zero());
  const Mesh rods = make_mesh(4, {}, std::vector{Edge{0, 1}, Edge{3, 2}});
  const Mesh triangle = make_mesh(4, {{0, 1, 2}});
  for (const PairStrategy& strategy : pair_strategies()) {
    EXPECT_TRUE(collect_pairs(strategy, {Mesh{}, {}, {}}) == Pairs());
    EXPECT_TRUE(collect_pairs(strategy, {make_mesh(1, {}), point, point}) == Pairs());
    EXPECT_TRUE(collect_pairs(strategy, {make_mesh(2, {}), two, two}) ==
                (Pairs{{}, {}, {}, {{0, 1}}}));
    EXPECT_TRUE(collect_pairs(strategy, {rods, points, points}) == (Pairs{{}, {{0, 1}}, {}, {}}));
    EXPECT_TRUE(collect_pairs(strategy, {triangle, points, points}) ==
                (Pairs{{{3, 0}}, {}, {}, {}}));
  }
}

TEST(FindPairs, HasATableOfStrategies) {
  for (const PairStrategy& strategy : pair_strategies())
    EXPECT_EQ(find_pair_strategy(strategy.name), &strategy);
  EXPECT_EQ(find_pair_strategy("no such"), nullptr);
}

struct SceneCounts {
  const char* name;
  std::size_t edges, vertex_face, edge_edge;
};

class FindPairsOnScene : public testing::TestWithParam<SceneCounts> {};

TEST_P(FindPairsOnScene, FindsAsManyAsTheDataSays) {
  GRAZE_SKIP_WITHOUT_DATA();
  const auto& [name, edges, vertex_face, edge_edge] = GetParam();
  const bench::Scene scene = bench::read_scene(test::data_folder() / "scenes" / name);
  ASSERT_EQ(scene.motion.mesh.edges.size(), edges);
  std::optional<std::uint64_t> hash;
  for (const PairStrategy& strategy : pair_strategies()) {
    if (strategy.name == "brute_force" && edges > 30000) continue;
    for (const int threads : {1, 2}) {
      std::array<std::atomic<std::uint64_t>, pair_kinds> count{}, sum{};  // sum: a hash of the set
      find_pairs(strategy, scene.motion.moving(), {.threads = threads},
                 [&](PairKind kind, std::span<const Pair> block) {
                   std::uint64_t part = 0;
                   for (const auto& [a, b] : block) {
                     const std::uint64_t mixed =
                         (std::uint64_t{a} << 32 | b) * 0x9e3779b97f4a7c15 + 1;
                     part += (mixed ^ mixed >> 29) * 0xbf58476d1ce4e5b9;
                   }
                   count[std::size_t(kind)] += block.size();
                   sum[std::size_t(kind)] += part;
                 });
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
}  // namespace graze
