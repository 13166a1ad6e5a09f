#include "graze/broad/moving/pair_forecast.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <vector>

#include "graze/step.h"
#include "test/support/meshes.h"

namespace graze::broad::pair_forecast_test {
namespace {

using test::mesh_families;
using test::random_mesh;

constexpr std::size_t any_number = std::numeric_limits<std::size_t>::max();

// Returns positions within `distance` of the motion at time t, in the maximum norm. Every second
// coordinate deviates by nearly all of it.
std::vector<Vec3> near_motion(const OwnedMotion& motion, double t, double distance,
                              generate::Random& random) {
  std::vector<Vec3> positions;
  for (std::size_t v = 0; v < motion.start.size(); ++v) {
    Vec3 deviation = random.cube(-1, 1);
    for (double& x : deviation)
      if (random.one_in(2)) x = x > 0 ? 1 - 0x1p-20 : 0x1p-20 - 1;
    positions.push_back((1 - t) * motion.start[v] + t * motion.end[v] + distance * deviation);
  }
  return positions;
}

TEST(PairForecast, ContainsEveryPairThatMeetsInAStepThatItCovers1) {
  std::size_t covered = 0, met = 0;
  for (const auto& family : mesh_families)
    for (const std::uint64_t seed : {1u, 2u, 3u})
      for (const double separation : {0.0, 0.02})
        for (const double distance : {0x1p-30, 0.01, 0.2}) {
          SCOPED_TRACE(testing::Message() << family.name << " " << seed << " " << distance);
          const OwnedMotion motion = random_mesh(family, 8, seed);
          PairForecast forecast;
          if (!forecast.make(motion.moving(), {}, separation + 2 * distance, any_number, {}))
            continue;
          generate::Random random("near", 0, seed, 1);
          for (const auto& [a, b] : {std::pair(0.0, 0.1), {0.1, 0.3}, {0.3, 0.25}, {0.9, 1.0}}) {
            // Less than the distance, since the forecast is compared at a time near a or b.
            const auto start = near_motion(motion, a, 0.8 * distance, random);
            const auto end = near_motion(motion, b, 0.8 * distance, random);
            if (!forecast.covers(start, end, {}, separation)) continue;
            ++covered;
            StepOptions options;
            options.query.min_separation = separation;
            options.strategy = find_pair_strategy("brute_force");
            options.start_check = false;  // a forecast has no pairs of an edge and a face
            Pairs pairs = forecast.pairs();
            for (const StepImpact& impact :
                 all_impacts({motion.mesh, start, end}, options).impacts) {
              ++met;
              const auto& list = pairs.of(impact.kind);
              EXPECT_EQ(std::count(list.begin(), list.end(), impact.pair), 1);
            }
          }
        }
  EXPECT_GT(covered, 300u);
  EXPECT_GT(met, 3000u);
}

TEST(PairForecast, CoversNoStepOutsideItsDistance1) {
  const OwnedMotion motion = random_mesh(mesh_families[0], 20, 5);
  constexpr double distance = 0.01, separation = 0.125;
  PairForecast forecast;
  ASSERT_TRUE(forecast.make(motion.moving(), {}, separation + 2 * distance, any_number, {}));
  EXPECT_TRUE(forecast.covers(motion.start, motion.end, {}, separation));
  EXPECT_TRUE(forecast.covers(motion.start, motion.end, {}, 0));
  EXPECT_FALSE(forecast.covers(motion.start, motion.end, {}, separation + 3 * distance));
  EXPECT_FALSE(forecast.covers(motion.start, motion.end, {.shared_vertices = true}, separation));
  const std::vector<std::uint8_t> is_static(motion.start.size());
  EXPECT_FALSE(
      forecast.covers(motion.start, motion.end, {.filter = {.is_static = is_static}}, separation));
  for (const double x :
       {1.01 * distance, -1.01 * distance, std::numeric_limits<double>::quiet_NaN(),
        std::numeric_limits<double>::infinity()}) {
    auto start = motion.start, end = motion.end;
    start[17][1] += x;
    end[start.size() - 1][2] += x;
    EXPECT_FALSE(forecast.covers(start, motion.end, {}, separation)) << x;
    EXPECT_FALSE(forecast.covers(motion.start, end, {}, separation)) << x;
  }
  EXPECT_FALSE(forecast.covers(std::span(motion.start).first(3), motion.end, {}, separation));
  forecast.clear();
  EXPECT_FALSE(forecast.covers(motion.start, motion.end, {}, 0));
}

TEST(PairForecast, RefusesTooManyPairsAndPositionsThatAreNotFinite) {
  OwnedMotion motion = random_mesh(mesh_families[0], 20, 5);
  PairForecast forecast;
  ASSERT_TRUE(forecast.make(motion.moving(), {}, 0.1, any_number, {}));
  const std::size_t size = forecast.size();
  EXPECT_TRUE(forecast.make(motion.moving(), {}, 0.1, size, {}));
  EXPECT_FALSE(forecast.make(motion.moving(), {}, 0.1, size - 1, {}));
  EXPECT_FALSE(forecast.covers(motion.start, motion.end, {}, 0));
  const std::atomic<bool> stop = true;
  EXPECT_FALSE(forecast.make(motion.moving(), {}, 0.1, any_number, {.stop = &stop}));
  motion.end[3][0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(forecast.make(motion.moving(), {}, 0.1, any_number, {}));
}

TEST(PairForecast, PassesOnAllPairs) {
  const OwnedMotion motion = random_mesh(mesh_families[0], 60, 7);
  const Pairs pairs = collect_pairs(motion.moving());
  for (const int threads : {1, 2}) {
    std::array<std::atomic<std::size_t>, kind_count> counts{};
    const PairConsumer count = [&](Kind kind, std::span<const Pair> block) {
      counts[static_cast<std::size_t>(kind)] += block.size();
    };
    EXPECT_EQ(pass_on(pairs, count, {.threads = threads}), PairStatus::complete);
    EXPECT_EQ(counts[0], pairs.vertex_face.size());
    EXPECT_EQ(counts[1], pairs.edge_edge.size());
    EXPECT_EQ(counts[2], pairs.vertex_edge.size());
    EXPECT_EQ(counts[3], pairs.vertex_vertex.size());
  }
  const std::atomic<bool> stop = true;
  EXPECT_EQ(pass_on(pairs, [](Kind, std::span<const Pair>) { FAIL(); }, {.stop = &stop}),
            PairStatus::stopped);
}

}  // namespace
}  // namespace graze::broad::pair_forecast_test
