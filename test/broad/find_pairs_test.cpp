#include "graze/find_pairs.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>
#include <immintrin.h>

#include <atomic>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

#include "graze/aabb.h"
#include "test/support/moving_meshes.h"

namespace graze::broad::find_pairs_test {
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
  return collect_pairs(moving, {.separation = separation}, {}, *find_pair_strategy("brute_force"));
}

// Returns the strategies that report every pair whose swept boxes overlap.
std::vector<PairStrategy> overlapping_strategies() {
  std::vector<PairStrategy> strategies;
  for (const PairStrategy& strategy : pair_strategies())
    if (strategy.set == PairSet::overlapping) strategies.push_back(strategy);
  return strategies;
}

TEST(FindPairs, AllStrategiesAndThreadsGiveTheSamePairs1) {
  std::size_t found = 0, possible = 0;
  for_each_family(100, [&](const OwnedMotion& motion) {
    for (const double separation : {0.0, 1e-3, 1.0, Limits::denorm_min(), Limits::max()}) {
      const Pairs expected = reference(motion.moving(), separation);
      found += expected.vertex_face.size();
      possible += motion.mesh.vertex_count * motion.mesh.faces.size();
      for (const PairStrategy& strategy : overlapping_strategies())
        for (const int threads : {1, 2, 0})
          EXPECT_TRUE(collect_pairs(motion.moving(), {.separation = separation},
                                    graze::Run{.threads = threads}, strategy) == expected)
              << strategy.name << ", " << threads << " threads, separation " << separation;
    }
  });
  EXPECT_GT(found, possible / 10);
  EXPECT_LT(found, possible * 9 / 10);
}

TEST(FindPairs, EveryInstructionSetGivesTheSamePairs1) {
  for_each_family(80, [&](const OwnedMotion& motion) {
    const Pairs expected = reference(motion.moving());
    const std::int64_t targets = hwy::SupportedTargets();
    for (std::int64_t rest = targets; rest != 0; rest &= rest - 1) {
      hwy::SetSupportedTargetsForTest(rest & -rest);
      hwy::GetChosenTarget().Update(hwy::SupportedTargets());
      for (const PairStrategy& strategy : overlapping_strategies())
        EXPECT_TRUE(collect_pairs(motion.moving(), {}, {}, strategy) == expected)
            << strategy.name << " on " << hwy::TargetName(rest & -rest);
    }
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  });
}

TEST(FindPairs, TheHostsFloatingPointModeDoesNotMatter2) {
  for_each_family(40, [&](const OwnedMotion& motion) {
    for (const double separation : {0.0, 0.3, 3 * Limits::denorm_min()}) {
      const Pairs expected = reference(motion.moving(), separation);
      for (const unsigned mode : {0x8040u, 0x2000u, 0x4000u, 0xe040u}) {  // FTZ+DAZ, down, up, all
        const unsigned saved = _mm_getcsr();
        _mm_setcsr(saved | mode);
        for (const PairStrategy& strategy : overlapping_strategies())
          for (const int threads : {1, 2})
            EXPECT_TRUE(collect_pairs(motion.moving(), {.separation = separation},
                                      graze::Run{.threads = threads}, strategy) == expected)
                << strategy.name << " in mode " << mode;
        EXPECT_EQ(_mm_getcsr() & 0xffc0, (saved | mode) & 0xffc0);
        _mm_setcsr(saved);
      }
    }
  });
}

TEST(FindPairs, ReportsEachPairOnceAndNoneThatSharesAVertex1) {
  const auto motion = random_motion(200, 5, coordinate_families[1].draw);
  const Mesh& mesh = motion.mesh;
  for (const PairStrategy& strategy : pair_strategies()) {
    const auto [vertex_face, edge_edge, vertex_edge, vertex_vertex, status] =
        collect_pairs(motion.moving(), {}, {}, strategy);
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

// Two rods whose distance is the separation, or just below it if no double has that distance.
TEST(FindPairs, FindsPairsExactlyAtTheSeparation2) {
  const Mesh mesh = make_mesh(4, {}, std::vector{Edge{0, 1}, Edge{2, 3}});
  for (const double gap : {0.3, 1.0, 1e-310, 1e300, 3 * Limits::denorm_min()})
    for (const double x : {0.0, 0.1, 1.0, -7.5, 1e-310}) {
      double far = x + gap;
      while (Rational(far) - Rational(x) > Rational(gap)) far = std::nextafter(far, x);
      const std::vector<Vec3> points = {{x, -1, 0}, {x, 1, 0}, {far, 0, -1}, {far, 0, 1}};
      for (const PairStrategy& strategy : pair_strategies()) {
        const MovingMesh moving{mesh, points, points};
        EXPECT_EQ(collect_pairs(moving, {.separation = gap}, {}, strategy).edge_edge.size(), 1u)
            << strategy.name << " " << x << " " << gap;
        if (strategy.set == PairSet::overlapping && far != x) {
          EXPECT_TRUE(collect_pairs(moving, {}, {}, strategy).edge_edge.empty());
        }
      }
    }
}

TEST(FindPairs, DeliversBlocksOfLimitedSize3) {
  const auto motion = random_motion(600, 3, coordinate_families[2].draw);  // all boxes overlap
  for (const PairStrategy& strategy : overlapping_strategies()) {
    std::size_t blocks = 0, pairs = 0;
    const PairConsumer count = [&](Kind, std::span<const Pair> block) {
      ++blocks;
      pairs += block.size();
      EXPECT_GT(block.size(), 0u);
      EXPECT_LE(block.size(), max_pair_block);
    };
    find_pairs(motion.moving(), count, {}, graze::Run{.threads = 1}, strategy);
    EXPECT_GT(pairs, 800'000u);
    EXPECT_LT(blocks, 5 * pairs / max_pair_block) << "most are well filled";
  }
}

TEST(FindPairs, RethrowsExceptionsOfTheConsumer) {
  const auto motion = random_motion(100, 3, coordinate_families[2].draw);
  for (const PairStrategy& strategy : pair_strategies())
    for (const int threads : {1, 2})
      EXPECT_THROW(
          find_pairs(
              motion.moving(), [](Kind, std::span<const Pair>) { throw std::domain_error(""); }, {},
              graze::Run{.threads = threads}, strategy),
          std::domain_error);
}

TEST(FindPairs, AcceptsMeshesWithoutFacesEdgesOrVertices) {
  const std::vector<Vec3> points(4, Vec3::Zero()), two(2, Vec3::Zero()), point(1, Vec3::Zero());
  const Mesh rods = make_mesh(4, {}, std::vector{Edge{0, 1}, Edge{3, 2}});
  const Mesh triangle = make_mesh(4, {{0, 1, 2}});
  for (const PairStrategy& strategy : pair_strategies()) {
    const auto pairs_of = [&](const MovingMesh& moving) {
      return collect_pairs(moving, {}, {}, strategy);
    };
    EXPECT_TRUE(pairs_of({Mesh{}, {}, {}}) == Pairs());
    EXPECT_TRUE(pairs_of({make_mesh(1, {}), point, point}) == Pairs());
    EXPECT_TRUE(pairs_of({make_mesh(2, {}), two, two}) == (Pairs{{}, {}, {}, {{0, 1}}}));
    EXPECT_TRUE(pairs_of({rods, points, points}) == (Pairs{{}, {{0, 1}}, {}, {}}));
    EXPECT_TRUE(pairs_of({triangle, points, points}) == (Pairs{{{3, 0}}, {}, {}, {}}));
  }
}

TEST(FindPairs, HasATableOfStrategies) {
  for (const PairStrategy& strategy : pair_strategies())
    EXPECT_EQ(find_pair_strategy(strategy.name), &strategy);
  EXPECT_EQ(find_pair_strategy("no such"), nullptr);
  for (const PairSet set : {PairSet::overlapping, PairSet::meeting})
    EXPECT_EQ(default_pair_strategy(set).set, set);
}

TEST(FindPairs, ReportsNoPairForInvalidArguments) {
  const auto motion = sheet(4);
  const std::size_t n = motion.mesh.vertex_count;
  const std::vector<std::uint8_t> bytes(n - 1), square(9), no_square(8);
  const std::vector<std::uint32_t> short_group(n - 1), group(n, 3);
  PairOptions negative{.separation = -1}, infinite{.separation = Limits::infinity()}, is_static,
      groups, meets, unknown_group;
  is_static.filter.is_static = bytes;
  groups.filter.group = short_group;
  meets.filter.meets = no_square;
  unknown_group.filter.group = group;
  unknown_group.filter.meets = square;
  for (const PairStrategy& strategy : pair_strategies()) {
    EXPECT_EQ(collect_pairs(motion.moving(), {}, {}, strategy).status, PairStatus::complete);
    for (const PairOptions& options :
         {negative, infinite, is_static, groups, meets, unknown_group}) {
      EXPECT_FALSE(is_sensible(options, motion.mesh));
      Pairs invalid;
      invalid.status = PairStatus::invalid;
      EXPECT_TRUE(collect_pairs(motion.moving(), options, {}, strategy) == invalid);
    }
    const auto fewer = std::span(motion.end).first(n - 1);
    EXPECT_EQ(collect_pairs({motion.mesh, motion.start, fewer}, {}, {}, strategy).status,
              PairStatus::invalid);
  }
}

TEST(FindPairs, StopsWhenTheFlagIsSet) {
  const auto motion = random_motion(600, 3, coordinate_families[2].draw);
  for (const PairStrategy& strategy : pair_strategies())
    for (const int threads : {1, 2}) {
      std::atomic<bool> stop = true;
      const graze::Run run{threads, &stop, {}};
      EXPECT_TRUE(collect_pairs(motion.moving(), {}, run, strategy) ==
                  (Pairs{{}, {}, {}, {}, PairStatus::stopped}));
      stop = false;
      std::atomic<std::size_t> found = 0;
      const PairConsumer consumer = [&](Kind, std::span<const Pair> block) {
        found += block.size();
        stop = true;
      };
      EXPECT_EQ(find_pairs(motion.moving(), consumer, {}, run, strategy), PairStatus::stopped);
      EXPECT_GT(found, 0u);
      EXPECT_LE(found, 3 * max_pair_block) << strategy.name;
    }
}

TEST(FindPairs, ReportsItsProgress) {
  const auto motion = sheet(60);
  for (const PairStrategy& strategy : pair_strategies()) {
    std::vector<double> fractions;
    const graze::Run run{2, nullptr, [&](double fraction) { fractions.push_back(fraction); }};
    collect_pairs(motion.moving(), {}, run, strategy);
    ASSERT_FALSE(fractions.empty()) << strategy.name;
    EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
    EXPECT_GT(fractions.front(), 0);
    EXPECT_GT(fractions.back(), 0.99);
    EXPECT_LE(fractions.back(), 1);
    EXPECT_LE(fractions.size(), 257u);
  }
}

TEST(FindPairs, AdmitsEveryValueForANaNCoordinate2) {
  OwnedMotion motion = sheet(6);
  motion.start[3][1] = Limits::quiet_NaN();
  motion.end[9][2] = Limits::infinity();
  const Pairs expected = reference(motion.moving());
  EXPECT_GT(expected.vertex_face.size(), 0u);
  for (const PairStrategy& strategy : pair_strategies())
    EXPECT_TRUE(collect_pairs(motion.moving(), {}, {}, strategy) == expected) << strategy.name;
}

}  // namespace
}  // namespace graze::broad::find_pairs_test
