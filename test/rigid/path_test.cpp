#include "graze/rigid/path.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "graze/generate/models.h"
#include "graze/generate/random.h"
#include "graze/rigid/distance.h"
#include "test/support/rigid_check.h"

namespace graze::rigid::path_test {
namespace {

Body cube(double half) {
  const generate::SurfaceModel model = generate::box({half, half, half});
  return make_body(model.vertices, model.faces);
}
Pose at(double x, double y, double z) {
  return {Eigen::Quaterniond::Identity(), {x, y, z}};
}

TEST(Path, Promise1AFreePathIsCoveredIntervalByInterval) {
  const Body body = cube(0.5), wall = cube(1);
  const Obstacle world[] = {{wall, at(0, 0, 0)}, {wall, at(5, 5, 0)}};
  const Pose poses[] = {at(-3, 0, 0), at(-3, 3, 0), at(3, 3, 0),
                        Pose::from_axis_angle({0, 0, 1}, 1, {3, 0, 0})};
  for (const PathMotion motion : {PathMotion::linear, PathMotion::screw}) {
    const PathCheck check = check_path(body, world, poses, {.advance = {}, .motion = motion});
    EXPECT_EQ(check.verdict, Verdict::separated);
    ASSERT_EQ(check.covered.size(), 6u);
    for (std::uint32_t segment = 0; segment < 3; ++segment)
      for (std::uint32_t obstacle = 0; obstacle < 2; ++obstacle) {
        const CoveredInterval& covered = check.covered[2 * segment + obstacle];
        EXPECT_EQ(covered.segment, segment);
        EXPECT_EQ(covered.obstacle, obstacle);
        EXPECT_EQ(covered.until, 1);
        // Promise 4: an independent judge agrees with the certificate.
        const Motion moved = motion == PathMotion::screw
                                 ? screw_motion(poses[segment], poses[segment + 1])
                                 : linear_motion(poses[segment], poses[segment + 1]);
        test::RigidCheck judge(body.vertices(), body.faces(), moved, wall.vertices(), wall.faces(),
                               resting(world[obstacle].pose));
        EXPECT_EQ(judge.free_until(covered.until, 1e-9, 200'000), covered.until);
      }
  }
}

TEST(Path, Promise2TheFirstContactOfAllObstaclesEndsThePath) {
  const Body body = cube(0.5), wall = cube(1);
  const Obstacle world[] = {{wall, at(8, 0, 0)}, {wall, at(4, 0, 0)}, {wall, at(20, 0, 0)}};
  const Pose poses[] = {at(-2, 0, 0), at(0, 0, 0), at(10, 0, 0), at(30, 0, 0)};
  const PathCheck check = check_path(body, world, poses, {.advance = {.smallest_threshold = true}});
  EXPECT_EQ(check.verdict, Verdict::contact);
  EXPECT_EQ(check.segment, 1u);
  EXPECT_EQ(check.obstacle, 1u);
  EXPECT_NEAR(check.toi, 0.25, 1e-12);
  ASSERT_EQ(check.covered.size(), 6u);
  for (std::size_t i = 3; i < 6; ++i) EXPECT_EQ(check.covered[i].until, check.toi);
}

TEST(Path, EachObstacleHasAMarginAndAllowedOnesAreNotTested) {
  const Body body = cube(0.5), wall = cube(1);
  const Pose poses[] = {at(-5, 0, 1.6), at(5, 0, 1.6)};
  Obstacle world[] = {{wall, at(0, 0, 0)}};
  EXPECT_EQ(check_path(body, world, poses).verdict, Verdict::separated);
  world[0].margin = 0.2;
  EXPECT_EQ(check_path(body, world, poses).verdict, Verdict::contact);
  world[0].margin = 0.05;
  EXPECT_EQ(check_path(body, world, poses, {.advance = {.margin = 0.1}}).verdict, Verdict::contact);
  world[0].allowed = true;
  const PathCheck check = check_path(body, world, poses, {.advance = {.margin = 0.1}});
  EXPECT_EQ(check.verdict, Verdict::separated);
  EXPECT_TRUE(check.covered.empty());
}

TEST(Path, Promise3ASpentBudgetIsUndecidedAtASafeTime) {
  const Body body = cube(0.5), wall = cube(1);
  const Obstacle world[] = {{wall, at(0, 0, 0)}};
  const Pose poses[] = {at(-5, 0, 0), at(-4, 0, 0), at(5, 0, 0)};
  const PathCheck check = check_path(body, world, poses, {.advance = {.max_checks = 3}});
  EXPECT_EQ(check.verdict, Verdict::undecided);
  EXPECT_LE(check.segment == 0 ? check.toi : 1 + check.toi, 1 + 2.5 / 9);
}

// A t_max below 1 would leave the end of each segment untested.
TEST(Path, Promise1APathIsTestedToItsEndOrInvalid) {
  const Body body = cube(0.5), wall = cube(1);
  const Obstacle world[] = {{wall, at(0, 0, 0)}};
  const Pose poses[] = {at(-5, 0, 0), at(0, 0, 0), at(0, 5, 0)};
  EXPECT_EQ(check_path(body, world, poses).verdict, Verdict::contact);
  for (const double t_max : {0.1, 0.5, 0.999, 2.0, 0.0, std::nan("")}) {
    const PathCheck check = check_path(body, world, poses, {.advance = {.t_max = t_max}});
    EXPECT_EQ(check.verdict, Verdict::invalid) << t_max;
    EXPECT_EQ(check.toi, 0);
    EXPECT_TRUE(check.covered.empty());
  }
}

TEST(Path, UnusableInputIsInvalidAtAnyPlace) {
  const Body body = cube(0.5), wall = cube(1);
  const std::vector<Obstacle> world = {{wall, at(0, 0, 0)}, {wall, at(9, 0, 0)}};
  const std::vector<Pose> poses = {at(-5, 0, 0), at(0, 0, 0), at(0, 5, 0)};
  const auto verdict = [&](const Body& moves, const auto& obstacles, const auto& path,
                           const PathOptions& options = {}) {
    return check_path(moves, obstacles, path, options).verdict;
  };
  EXPECT_EQ(verdict(body, world, poses), Verdict::contact);
  EXPECT_EQ(verdict(Body(), world, poses), Verdict::invalid);
  auto path = poses;
  path[2].translation[0] = std::nan("");  // after the first contact
  EXPECT_EQ(verdict(body, world, path), Verdict::invalid);
  EXPECT_EQ(verdict(body, std::vector<Obstacle>(), path), Verdict::invalid);
  path = {at(-1e308, 9, 9), at(1e308, 9, 9)};
  EXPECT_EQ(verdict(body, world, path), Verdict::invalid);
  auto obstacles = world;
  obstacles[1].margin = -1;
  EXPECT_EQ(verdict(body, obstacles, poses), Verdict::invalid);
  obstacles[1].margin = Impact::inf;
  EXPECT_EQ(verdict(body, obstacles, poses), Verdict::invalid);
  obstacles[1] = {Body(), at(0, 0, 0)};
  EXPECT_EQ(verdict(body, obstacles, poses), Verdict::invalid);
  obstacles[1].allowed = true;
  EXPECT_EQ(verdict(body, obstacles, poses), Verdict::contact);
}

TEST(Path, ASinglePoseIsAPathAndNoneIsInvalid) {
  const Body body = cube(0.5), wall = cube(1);
  const Obstacle world[] = {{wall, at(0, 0, 0)}};
  const Pose inside = at(1, 0, 0), outside = at(3, 0, 0);
  EXPECT_EQ(check_path(body, world, {&inside, 1}).verdict, Verdict::contact);
  EXPECT_EQ(check_path(body, world, {&outside, 1}).verdict, Verdict::separated);
  EXPECT_EQ(check_path(body, world, {}).verdict, Verdict::invalid);
}

// ---- many bodies -------------------------------------------------------------------------------

// Returns cubes of half size 0.5 that move and turn at random in a box.
std::vector<MovingBody> random_cubes(std::uint64_t seed, std::size_t count) {
  generate::Random random("many bodies", 0, 1, seed);
  std::vector<MovingBody> bodies;
  const Body body = cube(0.5);
  for (std::size_t i = 0; i < count; ++i) {
    const Vec3 column(3 * static_cast<double>(i % 3), 3 * static_cast<double>(i / 3), 0);
    const Pose from = Pose::from_axis_angle(random.cube(-1, 1), random.uniform(0, 3),
                                            column + random.cube(-0.5, 0.5));
    const Pose to = Pose::from_axis_angle(random.cube(-1, 1), random.uniform(0, 3),
                                          Vec3(3, 3, 0) + random.cube(-4, 4));
    bodies.push_back({body, linear_motion(from, to)});
  }
  return bodies;
}

TEST(FirstContact, Promise12IsTheFirstOfAllPairs) {
  std::size_t contacts = 0, free = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto bodies = random_cubes(seed, 2 + seed % 6);
    const AdvanceOptions options{.threshold = 1e-4};
    const BodiesImpact found = first_contact(bodies, options);
    const double until = std::min(found.impact.impact.toi, 1.0);
    for (std::size_t a = 0; a < bodies.size(); ++a)
      for (std::size_t b = a + 1; b < bodies.size(); ++b) {
        test::RigidCheck judge(bodies[a].body.vertices(), bodies[a].body.faces(), bodies[a].motion,
                               bodies[b].body.vertices(), bodies[b].body.faces(), bodies[b].motion);
        EXPECT_EQ(judge.free_until(until, 1e-9, 200'000), until) << seed << ' ' << a << ' ' << b;
      }
    if (found.impact.impact.verdict == Verdict::separated) {
      ++free;
      continue;
    }
    ++contacts;
    ASSERT_EQ(found.impact.impact.verdict, Verdict::contact);
    ASSERT_LT(found.a, found.b);
    const BodyDistance at_toi =
        distance(bodies[found.a].body, placement_at(bodies[found.a].motion, until),
                 bodies[found.b].body, placement_at(bodies[found.b].motion, until));
    EXPECT_LE(at_toi.lo, 1e-4);
  }
  EXPECT_GT(contacts, 10u);
  EXPECT_GT(free, 3u);
}

TEST(FirstContact, LeavesOutIgnoredPairsAndRefusesBadInput) {
  const Body body = cube(0.5);
  const std::vector<MovingBody> bodies = {{body, resting(at(0, 0, 0))},
                                          {body, translation(at(4, 0, 0), {-4, 0, 0})},
                                          {body, translation(at(0, 8, 0), {0, -8, 0})}};
  const BodiesImpact found = first_contact(bodies, {.smallest_threshold = true});
  EXPECT_EQ(found.a, 0u);
  EXPECT_EQ(found.b, 1u);
  EXPECT_NEAR(found.impact.impact.toi, 0.75, 1e-12);
  const std::array<std::uint32_t, 2> pair = {1, 0};
  const BodiesImpact other = first_contact(bodies, {.smallest_threshold = true}, {&pair, 1});
  EXPECT_EQ(other.b, 2u);
  EXPECT_NEAR(other.impact.impact.toi, 0.875, 1e-12);
  EXPECT_EQ(first_contact({}).impact.impact.verdict, Verdict::separated);
  const std::array<std::uint32_t, 2> unknown = {0, 3};
  EXPECT_EQ(first_contact(bodies, {}, {&unknown, 1}).impact.impact.verdict, Verdict::invalid);
  EXPECT_EQ(first_contact(bodies, {.t_max = 0}).impact.impact.verdict, Verdict::invalid);
  std::vector<MovingBody> broken = bodies;
  broken[2].motion.velocity[0] = Impact::nan;
  EXPECT_EQ(first_contact(broken).impact.impact.verdict, Verdict::invalid);
  broken[2] = {Body(), resting(at(9, 9, 9))};
  EXPECT_EQ(first_contact(broken).impact.impact.verdict, Verdict::invalid);
}

// A ball of radius 0.25 reaches the floor at 3/4 of the way, a cylinder later.
TEST(FirstContact, TakesShapes) {
  const std::vector<MovingBody> bodies = {
      {make_half_space(), resting(at(0, 0, 0))},
      {make_sphere(0.25), translation(at(0, 0, 3.25), {0, 0, -4})},
      {make_cylinder(0.5, 1), translation(at(5, 0, 4.5), {0, 0, -4})}};
  const BodiesImpact found = first_contact(bodies, {.threshold = 1e-9});
  EXPECT_EQ(found.impact.impact.verdict, Verdict::contact);
  EXPECT_EQ(found.b, 1u);
  EXPECT_NEAR(found.impact.impact.toi, 0.75, 1e-9);
  EXPECT_LE(found.impact.impact.toi, 0.75);
  const std::array<std::uint32_t, 2> ball = {0, 1};
  const BodiesImpact later =
      first_contact(bodies, {.threshold = 1e-9, .max_checks = 0}, {&ball, 1});
  EXPECT_EQ(later.b, 2u);
  EXPECT_NEAR(later.impact.impact.toi, 0.875, 1e-6);
}

TEST(FeaturesWithin, SubtractsRadii) {
  const Body ball = make_sphere(0.25), box = make_box({1, 1, 1});
  const SurfaceContacts found = features_within(ball, placement_of(at(0.25, 0, 1.25 + 1e-6)), box,
                                                placement_of(at(0, 0, 0)), 1e-5);
  ASSERT_EQ(found.list.size(), 1u);  // the middle and the face of the box below it
  EXPECT_EQ(found.list[0].feature_b.size, 3u);
  EXPECT_NEAR(found.list[0].distance, 1e-6, 1e-12);
  EXPECT_NEAR(found.list[0].point_a.z(), 1 + 1e-6, 1e-12);
  const Body cylinder = make_cylinder(0.5, 1);
  EXPECT_EQ(
      features_within(cylinder, placement_of(at(0, 0, 2)), box, placement_of({}), 1e-5).verdict,
      Verdict::contact);
}

}  // namespace
}  // namespace graze::rigid::path_test
