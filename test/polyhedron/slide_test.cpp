#include "graze/polyhedron/slide.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "graze/generate/random.h"
#include "graze/polyhedron/contacts.h"
#include "test/support/brush_shapes.h"
#include "test/support/scale.h"
#include "test/support/surfaces_meet.h"

namespace graze::polyhedron::slide_test {
namespace {

using generate::Random;
using test::at;

Obstacle box(const Vec3& lo, const Vec3& hi) {
  return make_obstacle(model_of_box({lo, hi}));
}
const Model player = model_of_box({Vec3(-0.3, -0.3, 0), Vec3(0.3, 0.3, 1.8)});
const SlideOptions walking{.step_height = 0.5};

// Returns a level whose floor is at z = 0.
std::vector<Obstacle> floor_and(std::vector<Obstacle> more) {
  more.push_back(box({-50, -50, -1}, {50, 50, 0}));
  return more;
}

TEST(SlideMove, ABodyOnAFloorWalksItsWholeWay) {
  const auto world = floor_and({});
  Scratch scratch;
  SlideResult result = slide_move(world, player, at({0, 0, 0.05}), {1, 2, -0.1}, scratch);
  EXPECT_EQ(result.verdict, Verdict::contact);
  EXPECT_TRUE(result.on_ground);
  EXPECT_LT((result.end.translation - Vec3(1, 2, 0)).norm(), 1e-5);
  EXPECT_NEAR(result.way[0], 1, 1e-5);
  EXPECT_NEAR(result.way[2], 0, 1e-5);
  // Starting on the floor, the same way has no contact.
  result = slide_move(world, player, result.end, {1, 2, -0.1}, scratch);
  EXPECT_EQ(result.verdict, Verdict::separated);
  EXPECT_TRUE(result.on_ground);
  result = slide_move(world, player, result.end, {0, 0, 1}, scratch);
  EXPECT_FALSE(result.on_ground);
  EXPECT_GT(result.end.translation[2], 0.99);
}

TEST(SlideMove, AWallRemovesOneComponentOfTheWay) {
  const auto world = floor_and({box({2, -50, -1}, {3, 50, 9})});
  Scratch scratch;
  const SlideResult result = slide_move(world, player, at({0, 0, 1e-9}), {5, 4, 0}, scratch);
  EXPECT_LT((result.end.translation - Vec3(1.7, 4, 0)).norm(), 1e-4);
  EXPECT_LT((result.way - Vec3(0, 4, 0)).norm(), 1e-4);
}

TEST(SlideMove, ACornerStopsTheBodyAndAnAcuteOneLeavesTheCrease) {
  Scratch scratch;
  const auto corner = floor_and({box({2, -50, -1}, {3, 50, 9}), box({-50, 2, -1}, {50, 3, 9})});
  SlideResult result = slide_move(corner, player, at({0, 0, 1e-9}), {5, 4, -1}, scratch);
  EXPECT_LT((result.end.translation - Vec3(1.7, 1.7, 0)).norm(), 1e-4);
  EXPECT_EQ(result.way, Vec3(0, 0, 0));
  // Two walls that meet at an angle of 20 degrees.
  const auto wedge = [](double side) {
    const double c = std::cos(0.1745), s = std::sin(0.1745);
    std::vector<Vec3> points;
    for (const double z : {-1., 9.})
      for (const Vec3& x : {Vec3(5, 0, z), Vec3(5 - 9 * c, side * 9 * s, z), Vec3(5, side * 9, z)})
        points.push_back(x);
    return make_obstacle(convex_hull(points));
  };
  const auto acute = floor_and({wedge(1), wedge(-1)});
  for (const double y : {-0.2, 0., 0.2}) {
    result = slide_move(acute, player, at({-3.5, y, 1e-9}), {20, 0, 0}, scratch);
    EXPECT_GT(result.end.translation[0], 2) << y;
    EXPECT_LT(result.end.translation[0], 3.5) << y;
    EXPECT_LT(result.way.norm(), 0.2) << y;
    const SlideResult up = slide_move(acute, player, result.end, {9, 0, 2}, scratch);
    EXPECT_NEAR(up.end.translation[2], 2, 0.1) << y;
  }
}

TEST(SlideMove, WalksUpAndDownStairsButNotOntoHigherSteps) {
  std::vector<Obstacle> steps;
  for (int i = 1; i <= 6; ++i)
    steps.push_back(box({2. + 0.3 * i, -9, -1}, {2. + 0.3 * (i + 1), 9, 0.4 * i}));
  steps.push_back(box({4, -9, -1}, {9, 9, 2.4}));
  const auto stairs = floor_and(std::move(steps));
  Scratch scratch;
  Pose pose = at({0, 0, 1e-9});
  for (int i = 0; i < 60; ++i) {
    const SlideResult result = slide_move(stairs, player, pose, {0.1, 0, -0.01}, scratch, walking);
    EXPECT_TRUE(result.on_ground) << i;
    pose = result.end;
  }
  EXPECT_NEAR(pose.translation[0], 6, 0.3);
  EXPECT_NEAR(pose.translation[2], 2.4, 1e-3);
  for (int i = 0; i < 60; ++i) {
    const SlideResult result = slide_move(stairs, player, pose, {-0.1, 0, -0.01}, scratch, walking);
    EXPECT_TRUE(result.on_ground) << i;
    pose = result.end;
  }
  EXPECT_NEAR(pose.translation[2], 0, 1e-3);
  const SlideOptions low{.step_height = 0.3};
  SlideResult blocked;
  for (int i = 0; i < 60; ++i)
    blocked = slide_move(stairs, player, pose, {0.1, 0, -0.01}, scratch, low), pose = blocked.end;
  EXPECT_NEAR(pose.translation[0], 2, 1e-3);
}

TEST(SlideMove, ARampIsGroundUnlessItIsSteep) {
  const auto ramp = [](double height) {
    const std::vector<Vec3> points{{2, -9, 0}, {6, -9, 0}, {6, -9, height},
                                   {2, 9, 0},  {6, 9, 0},  {6, 9, height}};
    return floor_and({make_obstacle(convex_hull(points))});
  };
  Scratch scratch;
  for (const double height : {1., 3.9, 8.}) {
    Pose pose = at({1, 0, 1e-9});
    SlideResult result;
    for (int i = 0; i < 30; ++i) {
      result = slide_move(ramp(height), player, pose, {0.1, 0, -0.02}, scratch, walking);
      pose = result.end;
    }
    if (height < 4) {
      EXPECT_TRUE(result.on_ground) << height;
      EXPECT_GT(pose.translation[2], 0.3) << height;
    } else {
      EXPECT_LT(pose.translation[2], 0.2) << height;
    }
  }
}

TEST(SlideMove, ABodyBetweenTwoSteepSlopesStands) {
  const auto slope = [](double side) {
    const std::vector<Vec3> points{{side * 0.2, -9, 0}, {side * 2, -9, 0}, {side * 2, -9, 6},
                                   {side * 0.2, 9, 0},  {side * 2, 9, 0},  {side * 2, 9, 6}};
    return make_obstacle(convex_hull(points));
  };
  const auto gorge = floor_and({slope(1), slope(-1)});
  Scratch scratch;
  SlideResult result;
  result.end = at({0.05, 0, 2});
  for (int i = 0; i < 60; ++i)
    result = slide_move(gorge, player, result.end, {0, 0, -0.05}, scratch, walking);
  EXPECT_GT(result.end.translation[2], 0.2);
  EXPECT_TRUE(result.on_ground);
  EXPECT_LT(result.ground.normal[2], 0.7);
}

// Promises (1) and (2), in random heaps of solids.
TEST(SlideMove, NeverSharesAPointAndTheWayGoesAgainstNoContact) {
  Scratch scratch;
  std::size_t contacts = 0, total = 0, moved = 0;
  for (std::size_t i = 0; i < test::scaled(25); ++i) {
    Random random("slide", 0, 1, i);
    std::vector<Obstacle> world = floor_and({});
    for (int k = 0; k < 12; ++k) {
      const Vec3 where = 3 * random.cube(-1, 1);
      world.push_back(make_obstacle(placed(test::random_solid(random, 1), at(where))));
    }
    Pose pose = at({0, 0, 6});
    SlideOptions options;
    options.step_height = random.one_in(2) ? 0.4 : 0;
    for (int step = 0; step < 40; ++step) {
      Vec3 way = random.cube(-1, 1) - Vec3(0, 0, 0.5);
      if (random.one_in(4)) way = -0.5 * pose.translation;
      const SlideResult result = slide_move(world, player, pose, way, scratch, options);
      ASSERT_NE(result.verdict, Verdict::invalid);
      ++total;
      contacts += result.verdict == Verdict::contact;
      moved += result.end.translation != pose.translation;
      for (const Obstacle& obstacle : world)
        ASSERT_FALSE(test::surfaces_meet(obstacle, player, result.end)) << i << " " << step;
      ASSERT_LE(result.way.norm(), way.norm() * (1 + 1e-5)) << i << " " << step;
      for (const Contact& contact : result.contacts)
        ASSERT_GE(result.way.dot(contact.normal), -0x1p-29 * way.norm()) << i;
      pose = result.end;
    }
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(4 * contacts, total);
  EXPECT_GT(3 * moved, 2 * total);
}

TEST(SlideMove, InvalidInputIsInvalid) {
  const auto world = floor_and({});
  Scratch scratch;
  EXPECT_EQ(slide_move(world, player, at({0, 0, 1}), {NAN, 0, 0}, scratch).verdict,
            Verdict::invalid);
  EXPECT_EQ(slide_move(world, player, at({0, 0, 1}), {1, 0, 0}, scratch, {.up = {0, 0, 2}}).verdict,
            Verdict::invalid);
  EXPECT_EQ(
      slide_move(world, player, at({0, 0, 1}), {1, 0, 0}, scratch, {.step_height = NAN}).verdict,
      Verdict::invalid);
}

TEST(Scratch, AFlagStopsEveryCall) {
  const auto world = floor_and({box({2, -50, -1}, {3, 50, 9})});
  const Pose start = at({0, 0, 0.05});
  const Path fall = translating(start, {0, 0, -1});
  const auto turn = turning(start, {0, 0, 0.5}, {1, 0, 0}, 3);
  std::atomic<bool> stop = false;
  Scratch scratch;
  scratch.stop_on(&stop);
  for (const bool stopped : {false, true, false}) {
    stop = stopped;
    EXPECT_EQ(scratch.is_stopped(), stopped);
    const Verdict met = stopped ? Verdict::undecided : Verdict::contact;
    for (const Sides sides : {Sides::both, Sides::front}) {
      const MoveResult moved = move(world, player, fall, scratch, {.sides = sides});
      EXPECT_EQ(moved.verdict, met);
      EXPECT_EQ(moved.toi > 0, !stopped);
      EXPECT_EQ(moved.end.translation == start.translation, stopped);
    }
    EXPECT_EQ(move(world, player, turn, scratch).verdict, met);
    EXPECT_EQ(trace_point(world, {0, 0, 1}, {0, 0, -2}, scratch).verdict, met);
    EXPECT_EQ(position_test(world, player, at({0, 0, -0.5}), scratch).verdict, met);
    EXPECT_EQ(ground_test(world, player, at({0, 0, 1e-6}), scratch, {}).verdict, met);
    EXPECT_EQ(contacts(world, player, at({0, 0, 1e-6}), 1e-3, scratch).empty(), stopped);
    // From the air, and touching at the start.
    for (const Pose& pose : {start, at({0, 0, 0})}) {
      const ExpelResult expelled = expel_move(world, player, translating(pose, {5, 0, 0}), scratch);
      EXPECT_EQ(expelled.verdict, met);
      EXPECT_TRUE(!stopped || expelled.end.translation == pose.translation);
      const SlideResult slid = slide_move(world, player, pose, {5, 1, -0.1}, scratch, walking);
      EXPECT_EQ(slid.verdict, met);
      EXPECT_TRUE(!stopped || slid.end.translation == pose.translation);
    }
    // Invalid input is invalid, stopped or not.
    EXPECT_EQ(slide_move(world, player, at({0, 0, Impact::nan}), {1, 0, 0}, scratch).verdict,
              Verdict::invalid);
  }
}

}  // namespace
}  // namespace graze::polyhedron::slide_test
