#include "graze/sim/walker.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "graze/generate/level.h"
#include "test/support/scale.h"
#include "test/support/surfaces_meet.h"

namespace graze::sim::walker::walker_test {
namespace {

Model level(std::uint64_t seed) {
  Model model;
  for (const auto& corners : generate::level_solids(seed))
    model.world.push_back(polyhedron::make_obstacle(polyhedron::convex_hull(corners)));
  model.hull = polyhedron::convex_hull(generate::player_corners(seed));
  return model;
}

Pose at_height(double z) {
  return Pose::from_quaternion(1, 0, 0, 0, {0, 0, z});
}

TEST(Walker, LevelsAreMadeOfClosedSolidsAndPlayersStartOutsideThem) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const Model model = level(seed);
    EXPECT_GT(model.world.size(), 90u);
    for (const polyhedron::Obstacle& obstacle : model.world) {
      EXPECT_TRUE(obstacle.model.ok());
      EXPECT_TRUE(obstacle.model.closed);
    }
    ASSERT_TRUE(model.hull.ok());
    EXPECT_FALSE(is_in_solid(model, at_height(1)));
    EXPECT_TRUE(is_in_solid(model, at_height(-0.5)));
    EXPECT_TRUE(is_in_solid(model, at_height(0.89)));
  }
}

TEST(Walker, IsInSolidFindsAHullWhollyInsideASolid) {
  Model model;
  model.world.push_back(
      polyhedron::make_obstacle(polyhedron::model_of_box({Vec3::Constant(-9), Vec3::Constant(9)})));
  model.hull = polyhedron::convex_hull(generate::player_corners(0));
  EXPECT_TRUE(is_in_solid(model, Pose()));
}

TEST(Walker, IsNeverInSolidAndCrossesTheLevel) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const Model model = level(seed);
    polyhedron::Scratch scratch;
    State state;
    state.pose.translation = {0, 0, 1.5};
    std::set<std::pair<int, int>> visited;
    std::size_t stops = 0, steps = 0, grounded = 0, in_solid = 0;
    const std::size_t moves = test::scaled(3000);
    Options options;
    options.monitor = [&](const State&, const State& stored) {
      in_solid += is_in_solid(model, stored.pose, &scratch);
    };
    for (std::size_t i = 0; i < moves; ++i) {
      const generate::WalkWish wish = generate::walk_wish(seed, i);
      options.wish = wish.velocity;
      options.jump = wish.jumps;
      const Report report = step(model, state, scratch, options);
      ASSERT_NE(report.verdict, Verdict::invalid);
      ASSERT_EQ(in_solid, 0u) << seed << " " << i;
      if (i % 16 == 0) {
        for (const polyhedron::Obstacle& obstacle : model.world)
          ASSERT_FALSE(test::surfaces_meet(obstacle, model.hull, state.pose)) << seed << " " << i;
      }
      stops += report.verdict == Verdict::contact;
      steps += report.stepped;
      grounded += state.on_ground;
      const Vec3& x = state.pose.translation;
      visited.insert({int(std::floor(x[0])), int(std::floor(x[1]))});
    }
    if (test::scale() < 1) continue;  // few queries need not meet every case
    EXPECT_GT(20 * stops, moves) << seed;
    EXPECT_GT(steps, 0u) << seed;
    EXPECT_GT(3 * grounded, moves) << seed;
    EXPECT_GT(visited.size(), 60u) << seed;
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
}

TEST(Walker, ScratchMemoryDoesNotChangeTheResult) {
  const Model model = level(1);
  polyhedron::Scratch scratch;
  State with, without;
  with.pose = without.pose = at_height(1.5);
  for (std::size_t i = 0; i < 200; ++i) {
    const generate::WalkWish wish = generate::walk_wish(1, i);
    Options options;
    options.wish = wish.velocity;
    options.jump = wish.jumps;
    step(model, without, options);
    step(model, with, scratch, options);
    ASSERT_EQ(with.pose.translation, without.pose.translation) << i;
    ASSERT_EQ(with.velocity, without.velocity) << i;
  }
}

TEST(Walker, InvalidInputChangesNothing) {
  const Model model = level(0);
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  State state;
  state.pose = at_height(1.5);
  state.velocity = {1, 2, 3};
  Options options;
  options.monitor = [](const State&, const State&) { FAIL() << "nothing is stored"; };
  for (const double seconds : {0.0, -1.0, nan}) {
    options.seconds = seconds;
    EXPECT_EQ(step(model, state, options).verdict, Verdict::invalid);
  }
  options.seconds = 1.0 / 60;
  state.on_ground = true;
  options.wish[0] = nan;
  EXPECT_EQ(step(model, state, options).verdict, Verdict::invalid);
  EXPECT_EQ(state.velocity, Vec3(1, 2, 3));
  EXPECT_EQ(state.pose.translation, Vec3(0, 0, 1.5));
}

}  // namespace
}  // namespace graze::sim::walker::walker_test
