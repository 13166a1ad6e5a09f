#include "graze/sim/walker/walker.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "graze/generate/level.h"
#include "test/support/scale.h"
#include "test/support/surfaces_meet.h"

namespace graze {
namespace {

using namespace polyhedron;

std::vector<Obstacle> level(std::uint64_t seed) {
  std::vector<Obstacle> world;
  for (const auto& corners : generate::level_solids(seed))
    world.push_back(make_obstacle(convex_hull(corners)));
  return world;
}

TEST(Walker, LevelsAreMadeOfSolidsAndPlayersStandUpright) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const auto world = level(seed);
    EXPECT_GT(world.size(), 90u);
    for (const Obstacle& obstacle : world) {
      EXPECT_TRUE(obstacle.model.ok());
      EXPECT_TRUE(obstacle.model.closed);
    }
    const BrushModel hull = convex_hull(generate::player_corners(seed));
    ASSERT_TRUE(hull.ok());
    Scratch scratch;
    EXPECT_FALSE(is_in_solid(world, hull, Pose::from_quaternion(1, 0, 0, 0, {0, 0, 1}), scratch));
    EXPECT_TRUE(is_in_solid(world, hull, Pose::from_quaternion(1, 0, 0, 0, {0, 0, -0.5}), scratch));
    EXPECT_TRUE(is_in_solid(world, hull, Pose::from_quaternion(1, 0, 0, 0, {0, 0, 0.89}), scratch));
  }
  // Wholly inside of a solid.
  const Obstacle large = make_obstacle(model_of_box({Vec3::Constant(-9), Vec3::Constant(9)}));
  Scratch scratch;
  EXPECT_TRUE(is_in_solid({&large, 1}, convex_hull(generate::player_corners(0)), Pose(), scratch));
}

TEST(Walker, IsNeverInSolidAndGetsAround) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const auto world = level(seed);
    const BrushModel hull = convex_hull(generate::player_corners(seed));
    Scratch scratch;
    Walker walker;
    walker.pose.translation = {0, 0, 1.5};
    std::set<std::pair<int, int>> visited;
    std::size_t stops = 0, steps = 0, grounded = 0;
    const std::size_t moves = test::scaled(3000);
    for (std::size_t i = 0; i < moves; ++i) {
      const generate::WalkWish wish = generate::walk_wish(seed, i);
      const SlideResult result =
          walk(world, hull, walker, wish.velocity, wish.jumps, 1. / 60, scratch);
      ASSERT_NE(result.verdict, Verdict::invalid);
      ASSERT_FALSE(is_in_solid(world, hull, walker.pose, scratch)) << seed << " " << i;
      if (i % 16 == 0) {
        for (const Obstacle& obstacle : world)
          ASSERT_FALSE(test::surfaces_meet(obstacle, hull, walker.pose)) << seed << " " << i;
      }
      stops += result.verdict == Verdict::contact;
      steps += result.stepped;
      grounded += result.on_ground;
      const Vec3& x = walker.pose.translation;
      visited.insert({int(std::floor(x[0])), int(std::floor(x[1]))});
    }
    EXPECT_GT(20 * stops, moves) << seed;
    EXPECT_GT(steps, 0u) << seed;
    EXPECT_GT(3 * grounded, moves) << seed;
    EXPECT_GT(visited.size(), 60u) << seed;
  }
}

}  // namespace
}  // namespace graze
