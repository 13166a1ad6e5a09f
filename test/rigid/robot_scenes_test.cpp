// Robots of the real data and worlds of many bodies.
#include <gtest/gtest.h>

#include <cmath>

#include "graze/generate/random.h"
#include "graze/io/robot_files.h"
#include "graze/rigid/robot.h"
#include "test/support/data.h"
#include "test/support/robot_judge.h"
#include "test/support/scale.h"

namespace graze::rigid {
namespace {

using generate::Random;

// Two arms, of the same description, on one base link, 2 `apart` from each other along y.
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

TEST(RobotScenes, TwoPandasOnOneBase) {
  GRAZE_SKIP_WITHOUT_DATA();
  if (!io::has_robots()) GTEST_SKIP() << "this build reads no robots";
  const auto folder = test::data_folder() / "robots" / "panda";
  const io::RobotFile file = io::read_robot(folder / "panda.urdf", folder / "panda.srdf");
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

// An arm of two boxes that turn about z and y.
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

// A square lattice of posts around the arm, of which only the nearest are within its reach.
RobotWorld posts(int side) {
  RobotWorld world;
  for (int i = -side; i <= side; ++i)
    for (int j = -side; j <= side; ++j) {
      if (std::max(std::abs(i), std::abs(j)) < 2) continue;
      world.names.push_back("post " + std::to_string(i) + " " + std::to_string(j));
      world.bodies.push_back({make_box({0.1, 0.1, 1}),
                              resting({Eigen::Quaterniond::Identity(), {0.9 * i, 0.9 * j, 0}})});
    }
  return world;
}

TEST(RobotScenes, BodiesOutOfReachCostNoChecks) {
  const Robot robot = make_robot(small_arm());
  const RobotWorld near = posts(2), far = posts(7);
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
    EXPECT_EQ(x.checks, y.checks);  // 216 posts or 16: the same work
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

}  // namespace
}  // namespace graze::rigid
