// Robots of the real data, worlds of many bodies, and parts that robots carry.
#include <gtest/gtest.h>

#include <cmath>

#include "graze/generate/models.h"
#include "graze/generate/random.h"
#include "graze/io/robot_files.h"
#include "graze/rigid/robot.h"
#include "test/support/data.h"
#include "test/support/robot_judge.h"
#include "test/support/scale.h"

namespace graze::rigid {
namespace {

using generate::Random;

// Returns two arms, of the same description, on one base link, 2 `apart` from each other along y.
RobotDescription two_arms(const RobotDescription& arm, const std::string& root, double apart) {
  RobotDescription both;
  both.name = "two " + arm.name;
  both.neighbours_may_touch = arm.neighbours_may_touch;
  both.links.push_back({"base", {}});
  for (const std::string side : {"left ", "right "}) {
    for (RobotLink link : arm.links) {
      link.name = side + link.name;
      both.links.push_back(link);
    }
    for (RobotJoint joint : arm.joints) {
      joint.name = side + joint.name;
      joint.parent = side + joint.parent;
      joint.child = side + joint.child;
      if (!joint.mimic.empty()) joint.mimic = side + joint.mimic;
      both.joints.push_back(joint);
    }
    for (const auto& [a, b] : arm.may_touch) both.may_touch.push_back({side + a, side + b});
    RobotJoint stand;
    stand.name = side + "stand";
    stand.parent = "base";
    stand.child = side + root;
    stand.origin.translation = {0, side == "left " ? apart : -apart, 0};
    both.joints.push_back(stand);
  }
  return both;
}

std::map<std::string, double> configuration(const Robot& robot, const Trajectory& path, double s) {
  std::map<std::string, double> q;
  for (std::size_t j = 0; j < path.joints; ++j)
    q[robot.joints()[j]] = path.polynomial(0, j)[0] + s * path.polynomial(0, j)[1];
  return q;
}

io::RobotFile read_panda() {
  const auto folder = test::data_folder() / "robots" / "panda";
  return io::read_robot(folder / "panda.urdf", folder / "panda.srdf");
}

TEST(RobotScenes, TwoPandasOnOneBase) {
  GRAZE_SKIP_WITHOUT_DATA();
  if (!io::has_robots()) GTEST_SKIP() << "this build reads no robots";
  const io::RobotFile file = read_panda();
  std::string root;
  for (const RobotLink& link : file.description.links)
    if (std::none_of(file.description.joints.begin(), file.description.joints.end(),
                     [&](const RobotJoint& joint) { return joint.child == link.name; }))
      root = link.name;
  const RobotDescription description = two_arms(file.description, root, 0.3);
  const Robot robot = make_robot(description), one = make_robot(file.description);
  ASSERT_EQ(robot.problem(), "");
  ASSERT_EQ(robot.joints().size(), 2 * one.joints().size());
  ASSERT_GE(robot.joints().size(), 14u);
  const RobotOptions options{.proof = true};
  const PathChecker checker(robot, {}, options);
  ASSERT_EQ(checker.problem(), "");
  const test::RobotJudge judge(description, {});
  const std::size_t joints = robot.joints().size();
  int free = 0, contacts = 0, between = 0;
  for (std::uint64_t i = 0; i < test::scaled(12); ++i) {
    SCOPED_TRACE(i);
    Random random("two pandas", 0, test::seed(), i);
    std::vector<double> ends(2 * joints);
    for (std::size_t j = 0; j < joints; ++j) {
      const double lo = robot.lower()[j], hi = robot.upper()[j];
      ends[j] = random.uniform(0.6 * lo + 0.4 * hi, 0.4 * lo + 0.6 * hi);
      ends[joints + j] = std::clamp(ends[j] + random.uniform(-0.8, 0.8), lo, hi);
    }
    const Trajectory path = straight_path(ends, joints);
    const RobotCheck check = checker.check(path);
    ASSERT_TRUE(check.verdict == Verdict::separated || check.verdict == Verdict::contact);
    const bool is_free = check.verdict == Verdict::separated;
    ++(is_free ? free : contacts);
    between += !is_free && check.a.substr(0, 4) != check.b.substr(0, 4);
    const double end = is_free ? 1 : check.s;
    for (int k = 0; k < 40; ++k) {
      const double s = end * k / 40;
      if (!is_free && end == 0) break;
      EXPECT_FALSE(judge.at(configuration(robot, path, s), 0, 0).meets) << s;
    }
    if (is_free) {
      EXPECT_TRUE(verify(check.proof, robot, path, {}, options).valid);
    } else {
      EXPECT_LE(judge.at(configuration(robot, path, check.s), 0, 1e-3).lower,
                2 * options.threshold);
    }
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(free, 0);
  EXPECT_GT(contacts, 0);
  EXPECT_GT(between, 0);  // contacts of one arm with the other
}

// A box whose top and front are `gap` away from the farthest points that the Panda reaches in the
// middle of an edge.
TEST(RobotScenes, APandaInABoxThatItHardlyFits) {
  GRAZE_SKIP_WITHOUT_DATA();
  if (!io::has_robots()) GTEST_SKIP() << "this build reads no robots";
  const io::RobotFile file = read_panda();
  const Robot robot = make_robot(file.description);
  ASSERT_EQ(robot.joints().size(), 8u);
  std::vector<double> ends(16);
  for (std::size_t j = 0; j < 8; ++j) {
    const std::string& name = robot.joints()[j];
    const double way = name == "panda_joint2" ? 0.5 : name == "panda_joint1" ? 0.2 : 0;
    const double middle = name == "panda_joint4"   ? -0.6
                          : name == "panda_joint6" ? 2.5
                          : name == "panda_joint2" ? -0.4
                                                   : 0.02;
    ends[j] = middle - way;
    ends[8 + j] = middle + way;
  }
  const Trajectory path = straight_path(ends, 8);
  const test::RobotJudge alone(file.description, {});
  constexpr int samples = 2000;
  Vec3 lo = Vec3::Constant(HUGE_VAL), hi = -lo;
  double highest = 0, farthest = 0;  // the times of the largest z and x
  for (int k = 0; k <= samples; ++k) {
    const double s = double(k) / samples;
    const Aabb box = alone.box(configuration(robot, path, s));
    if (box.hi[2] > hi[2]) highest = s;
    if (box.hi[0] > hi[0]) farthest = s;
    lo = lo.cwiseMin(box.lo);
    hi = hi.cwiseMax(box.hi);
  }
  ASSERT_TRUE(0.1 < highest && highest < 0.9) << highest;
  for (const double gap : {1e-6, -1e-6}) {
    RobotWorld world;
    // Room on the other sides.
    const Vec3 low = lo - Vec3::Constant(0.05), high = hi + Vec3(gap, 0.05, gap);
    const generate::SurfaceModel shell = generate::box(0.5 * (high - low));
    world.names = {"shell"};
    world.bodies = {{make_body(shell.vertices, shell.faces),
                     resting({Eigen::Quaterniond::Identity(), 0.5 * (high + low)})}};
    const RobotOptions options{.proof = true};
    const RobotCheck check = check_path(robot, path, world, options);
    if (gap > 0) {
      ASSERT_EQ(check.verdict, Verdict::separated);
      EXPECT_TRUE(verify(check.proof, robot, path, world, options).valid);
      continue;
    }
    ASSERT_EQ(check.verdict, Verdict::contact);
    const test::RobotJudge judge(file.description, world);
    EXPECT_NEAR(check.s, std::min(highest, farthest), 0.02);
    EXPECT_LE(judge.at(configuration(robot, path, check.s), 0, 1e-3).lower, 2 * options.threshold);
    for (int k = 0; k < 200; ++k)
      EXPECT_FALSE(judge.at(configuration(robot, path, check.s * k / 200), 0, 0).meets) << k;
  }
}

// Returns an arm of two boxes that turn about z and y.
RobotDescription small_arm() {
  RobotDescription robot;
  RobotShape box;
  box.kind = RobotShape::Kind::box;
  box.half_extents = {0.5, 0.1, 0.1};
  box.at.translation = {0.5, 0, 0};
  robot.links = {{"base", {}}, {"upper", {box}}, {"lower", {box}}};
  RobotJoint turn;
  turn.kind = RobotJoint::Kind::continuous;
  turn.name = "turn";
  turn.parent = "base";
  turn.child = "upper";
  turn.axis = Vec3::UnitZ();
  RobotJoint bend = turn;
  bend.name = "bend";
  bend.parent = "upper";
  bend.child = "lower";
  bend.origin.translation = {1, 0, 0};
  bend.axis = Vec3::UnitY();
  robot.joints = {turn, bend};
  return robot;
}

// Returns a square lattice of posts around the arm; only the nearest are within its reach.
RobotWorld posts(int side, double half_height = 1) {
  RobotWorld world;
  for (int i = -side; i <= side; ++i)
    for (int j = -side; j <= side; ++j) {
      if (std::max(std::abs(i), std::abs(j)) < 2) continue;
      world.names.push_back("post " + std::to_string(i) + " " + std::to_string(j));
      world.bodies.push_back({make_box({0.1, 0.1, half_height}),
                              resting({Eigen::Quaterniond::Identity(), {0.9 * i, 0.9 * j, 0}})});
    }
  return world;
}

// Compares worlds of 16 and of 216 posts, of which the same are within reach.
void expect_the_same_work(const RobotWorld& near, const RobotWorld& far) {
  const Robot robot = make_robot(small_arm());
  const PathChecker few(robot, near), many(robot, far), all(robot, far, {.proof = true});
  int contacts = 0;
  for (std::uint64_t i = 0; i < test::scaled(60); ++i) {
    Random random("posts", 0, test::seed(), i);
    std::vector<double> ends;
    for (int k = 0; k < 4; ++k) ends.push_back(random.uniform(-3, 3));
    ends[2] = ends[0] + random.uniform(-0.3, 0.3);
    ends[3] = ends[1] + random.uniform(-0.3, 0.3);
    const Trajectory path = straight_path(ends, 2);
    const RobotCheck x = few.check(path), y = many.check(path), z = all.check(path);
    EXPECT_EQ(x.verdict, y.verdict);
    EXPECT_EQ(x.checks, y.checks);
    EXPECT_EQ(y.verdict, z.verdict);
    if (y.verdict == Verdict::contact) {
      ++contacts;
      EXPECT_EQ(x.s, y.s);
      EXPECT_EQ(y.s, z.s);
    } else if (i < 10) {
      EXPECT_TRUE(verify(z.proof, robot, path, far, {}).valid);
    }
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(contacts, 6);
  EXPECT_LT(contacts, 54);
}

TEST(RobotScenes, BodiesOutOfReachCostNoChecks) {
  expect_the_same_work(posts(2), posts(7));
}

TEST(RobotScenes, MovingBodiesOutOfReachCostNoChecks) {
  RobotWorld near = posts(2, 0.3), far = posts(7, 0.3);
  for (RobotWorld* world : {&near, &far})
    for (auto& [body, motion] : world->bodies) {
      motion.centre = motion.start.translation;
      motion.velocity = {0.1, -0.05, 0};
      motion.rotation = {0, 0, 0.4};
    }
  expect_the_same_work(near, far);
}

// The tree of moving bodies is built for the part of the time that a piece takes.
TEST(RobotScenes, EachPieceOfAPathMeetsMovingBodiesWhereTheyAreThen) {
  const Robot robot = make_robot(small_arm());
  RobotWorld world = posts(3);
  for (auto& [body, motion] : world.bodies) motion.velocity = {1.5, 0.3, 0};
  const test::RobotJudge judge(small_arm(), world);
  const PathChecker checker(robot, world), proving(robot, world, {.proof = true});
  int contacts = 0;
  for (std::uint64_t i = 0; i < test::scaled(40); ++i) {
    SCOPED_TRACE(i);
    Random random("moving posts", 0, test::seed(), i);
    std::vector<double> knots = {random.uniform(-3, 3), random.uniform(0.5, 1)};
    for (int k = 0; k < 4; ++k)
      for (int j = 0; j < 2; ++j)
        knots.push_back(knots[knots.size() - 2] + random.uniform(-0.1, 0.1));
    const Trajectory path = straight_path(knots, 2);
    const RobotCheck check = checker.check(path), again = proving.check(path);
    EXPECT_EQ(check.verdict, again.verdict);
    const bool hits = check.verdict == Verdict::contact;
    contacts += hits;
    if (hits) {
      EXPECT_EQ(check.piece, again.piece);
      EXPECT_EQ(check.s, again.s);
    } else {
      EXPECT_TRUE(verify(again.proof, robot, path, world, {}).valid);
    }
    const double end = hits ? check.time / 4 : 1;
    for (int k = 0; k < 100; ++k) {
      const double time = end * k / 100, at = 4 * time;
      const auto piece = static_cast<std::size_t>(at);
      std::map<std::string, double> q;
      for (std::size_t j = 0; j < 2; ++j) {
        const auto c = path.polynomial(piece, j);
        q[robot.joints()[j]] = c[0] + (at - double(piece)) * c[1];
      }
      if (end > 0) {
        EXPECT_FALSE(judge.at(q, time, 0).meets) << time;
      }
    }
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(contacts, 3);
  EXPECT_LT(contacts, 37);
}

TEST(RobotScenes, AnAttachedBodyIsALinkWithAFixedJoint) {
  RobotDescription description = small_arm();
  RobotShape rod;
  rod.kind = RobotShape::Kind::box;
  rod.half_extents = {0.05, 0.4, 0.05};
  rod.at.translation = {0, 0.5, 0};
  RobotJoint grasp;
  grasp.name = "grasp";
  grasp.parent = "lower";
  grasp.child = "rod";
  grasp.origin = Pose::from_axis_angle({0, 0, 1}, 0.3, {1, 0, 0});
  description.links.push_back({"rod", {rod}});
  description.joints.push_back(grasp);
  const Robot whole = make_robot(description);
  const Pose there = Pose::from_axis_angle({0, 0, 1}, 0.3,
                                           Vec3(1, 0, 0) + grasp.origin.rotation * Vec3(0, 0.5, 0));
  const Body body = make_box(rod.half_extents);
  const Robot arm = make_robot(small_arm()), carrying = attached(arm, "rod", body, "lower", there);
  ASSERT_EQ(carrying.problem(), "");
  EXPECT_EQ(carrying.links().size(), whole.links().size());
  EXPECT_EQ(carrying.joints().size(), 2u);
  const RobotWorld world = posts(3);
  const PathChecker one(whole, world), two(carrying, world), without(arm, world);
  int different = 0;
  for (std::uint64_t i = 0; i < test::scaled(40); ++i) {
    Random random("attached", 0, test::seed(), i);
    std::vector<double> ends = {random.uniform(-3, 3), random.uniform(-1, 1)};
    for (int k = 0; k < 2; ++k) ends.push_back(ends[std::size_t(k)] + random.uniform(-0.3, 0.3));
    const Trajectory path = straight_path(ends, 2);
    const RobotCheck x = one.check(path), y = two.check(path);
    ASSERT_EQ(x.verdict, y.verdict);
    EXPECT_EQ(x.a, y.a);
    EXPECT_EQ(x.b, y.b);
    if (x.verdict == Verdict::contact) {
      EXPECT_NEAR(x.s, y.s, 1e-5);
    }
    different += without.check(path).verdict != y.verdict;
  }
  const auto problem = [&](const std::string& name, const std::string& link,
                           const std::vector<std::string>& may_touch = {}) {
    return attached(arm, name, body, link, there, may_touch).problem();
  };
  EXPECT_EQ(problem("upper", "lower"), "attached body \"upper\": the name is used twice");
  EXPECT_EQ(problem("rod", "moon"), "attached body \"rod\": no link has the name \"moon\"");
  EXPECT_EQ(problem("rod", "lower", {"sun"}),
            "attached body \"rod\": no link has the name \"sun\"");
  EXPECT_EQ(problem("rod", "lower", {"base", "upper"}), "");
  EXPECT_EQ(attached(arm, "rod", make_half_space(), "lower", there).problem(),
            "attached body \"rod\": only meshes and shapes with a mesh can be attached");
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(different, 0);
}

TEST(RobotScenes, ThePlacementOfAFixedLinkIncludesItsJoint) {
  RobotDescription description = small_arm();
  RobotShape ball;
  ball.kind = RobotShape::Kind::sphere;
  ball.radius = 0.1;
  description.links.push_back({"tip", {ball}});
  RobotJoint end;
  end.name = "end";
  end.parent = "upper";
  end.child = "tip";
  end.origin.translation = {1, 0, 0.5};
  description.joints.push_back(end);
  const Robot robot = make_robot(description);
  const double quarter = std::acos(-1.0) / 2;
  const Placement at = robot.placement(3, std::vector<double>{quarter, 0});
  EXPECT_LT((at.offset - Vec3(0, 1, 0.5)).norm(), 1e-12);
  EXPECT_LT((robot.bodies(3)[0].vertices()[0] - Vec3::Zero()).norm(), 1e-12);
}

TEST(RobotScenes, ASplineWithinTheLimitsIsAccepted) {
  RobotDescription description = small_arm();
  description.joints[0].upper = 1.05;
  const Robot robot = make_robot(description);
  // 4 s (1 - s), whose largest value is 1; its control points reach 4/3.
  const auto answer = [&](double speed) {
    return check_path(robot,
                      smooth_path(std::vector<double>{0, 0, 0, 0}, 2, std::vector<double>{0, 1},
                                  std::vector<double>{speed, 0, -speed, 0}));
  };
  EXPECT_EQ(answer(4).problem, "");
  EXPECT_EQ(answer(4.1999999).problem, "");
  EXPECT_NE(answer(4.2000001).problem.find("leaves the limits"), std::string::npos);
}

TEST(RobotScenes, AMimickingJointKeepsItsOwnLimits) {
  RobotDescription description = small_arm();
  description.joints[1].mimic = "turn";
  description.joints[1].multiplier = -2;
  description.joints[1].shift = 0.5;
  description.joints[1].upper = 1.5;
  const Robot robot = make_robot(description);
  ASSERT_EQ(robot.joints().size(), 1u);
  EXPECT_EQ(robot.lower()[0], -0.5);
  EXPECT_TRUE(std::isinf(robot.upper()[0]));
  EXPECT_EQ(check_path(robot, straight_path(std::vector<double>{0, -0.5}, 1)).problem, "");
  EXPECT_NE(check_path(robot, straight_path(std::vector<double>{0, -0.6}, 1)).problem, "");
  description.joints[0].upper = -0.7;
  EXPECT_EQ(make_robot(description).problem(),
            "joint \"bend\": no value of \"turn\" keeps it within its limits");
  description.joints[1].multiplier = 0;
  EXPECT_EQ(make_robot(description).problem(), "");
  description.joints[1].shift = 2;
  EXPECT_NE(make_robot(description).problem(), "");
}

}  // namespace
}  // namespace graze::rigid
