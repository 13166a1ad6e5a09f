#include "graze/rigid/robot.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "graze/generate/models.h"
#include "graze/generate/random.h"
#include "graze/rigid/robot/link_motion.h"
#include "test/support/robot_judge.h"
#include "test/support/scale.h"

namespace graze::rigid::robot_test {
namespace {

using generate::Random;

RobotShape box_shape(const Vec3& half, const Vec3& centre) {
  RobotShape shape;
  shape.kind = RobotShape::Kind::box;
  shape.half_extents = half;
  shape.at.translation = centre;
  return shape;
}
RobotShape mesh_shape(const generate::SurfaceModel& model, const Vec3& centre = Vec3::Zero()) {
  RobotShape shape;
  shape.vertices = model.vertices;
  shape.faces = model.faces;
  shape.at.translation = centre;
  return shape;
}
RobotJoint joint(const char* name, RobotJoint::Kind kind, const char* parent, const char* child,
                 const Vec3& offset, const Vec3& axis) {
  RobotJoint result;
  result.name = name;
  result.kind = kind;
  result.parent = parent;
  result.child = child;
  result.origin.translation = offset;
  result.axis = axis;
  return result;
}
constexpr auto revolute = RobotJoint::Kind::revolute;
constexpr auto prismatic = RobotJoint::Kind::prismatic;

// Returns an arm of four links of length 1 with turned axes: meshes, a capsule and a box.
RobotDescription arm() {
  RobotDescription robot;
  robot.links = {
      {"base", {box_shape({0.3, 0.3, 0.1}, {0, 0, -0.2})}},
      {"upper", {mesh_shape(generate::box({0.1, 0.1, 0.5}), {0, 0, 0.5})}},
      {"lower", {mesh_shape(generate::scaled(generate::bumpy_figure(10, 8), 0.2), {0, 0, 0.5})}},
      {"hand", {}},
      {"tool", {box_shape({0.05, 0.2, 0.05}, {0, 0, 0.2})}}};
  RobotShape capsule;
  capsule.kind = RobotShape::Kind::capsule;
  capsule.radius = 0.08;
  capsule.half_height = 0.2;
  capsule.at = Pose::from_axis_angle({1, 0, 0}, 0.7, {0, 0, 0.3});
  robot.links[3].shapes = {capsule};
  robot.joints = {joint("j1", revolute, "base", "upper", {0, 0, 0}, {0, 0.6, 0.8}),
                  joint("j2", revolute, "upper", "lower", {0, 0, 1}, {1, 0, 0}),
                  joint("j3", revolute, "lower", "hand", {0, 0, 0.9}, {0, 1, 0}),
                  joint("j4", prismatic, "hand", "tool", {0, 0, 0.5}, {0, 0, 1})};
  return robot;
}

RobotWorld obstacles() {
  RobotWorld world;
  const auto add = [&](const char* name, const Body& body, const Vec3& at) {
    world.names.push_back(name);
    world.bodies.push_back({body, resting({Eigen::Quaterniond::Identity(), at})});
  };
  add("wall", make_box({0.1, 1, 1}), {1.6, 0, 0.5});
  add("ball", make_sphere(0.3), {-1, 1, 1.2});
  const generate::SurfaceModel ring = generate::ring(16, 8);
  add("ring", make_body(ring.vertices, ring.faces), {0, -1.5, 1});
  return world;
}

std::map<std::string, double> configuration(const Robot& robot, const Trajectory& path,
                                            std::size_t piece, double s) {
  std::map<std::string, double> q;
  for (std::size_t j = 0; j < path.joints; ++j) {
    double value = 0;
    const auto c = path.polynomial(piece, j);
    for (std::size_t k = c.size(); k-- > 0;) value = value * s + c[k];
    q[robot.joints()[j]] = value;
  }
  return q;
}

// Compares an answer with the judge at `samples` times of each piece, and at the time of contact.
void judge(const RobotDescription& description, const Robot& robot, const RobotWorld& world,
           const RobotOptions& options, const Trajectory& path, const RobotCheck& check,
           int samples) {
  const test::RobotJudge judge(description, world);
  const double whole = path.times.back() - path.times.front();
  const auto at = [&](std::size_t piece, double s) {
    const double time = path.times[piece] + s * (path.times[piece + 1] - path.times[piece]);
    return judge.at(configuration(robot, path, piece, s), (time - path.times.front()) / whole,
                    options.margin + 1e-3);
  };
  for (std::size_t piece = 0; piece < path.pieces(); ++piece) {
    if (check.verdict != Verdict::separated && piece > check.piece) break;
    const bool last = check.verdict != Verdict::separated && piece == check.piece;
    for (int k = 0; k <= samples; ++k) {
      const double s = (last ? check.s : 1.0) * k / samples;
      if (last && k == samples) break;
      if (last && check.s == 0) break;
      const auto found = at(piece, s);
      EXPECT_FALSE(found.meets) << "piece " << piece << " s " << s;
      EXPECT_GT(found.upper, options.margin - 1e-12) << "piece " << piece << " s " << s;
    }
  }
  if (check.verdict == Verdict::contact) {
    EXPECT_LE(at(check.piece, check.s).lower, options.margin + 2 * options.threshold);
  }
}

Trajectory random_path(Random& random, std::size_t joints, int kind) {
  const std::size_t knots = 3;
  std::vector<double> q, v, a;
  for (std::size_t i = 0; i < knots * joints; ++i) {
    q.push_back(random.uniform(-1.5, 1.5));
    if (i % joints == joints - 1) q.back() *= 0.1;
    v.push_back(random.uniform(-1, 1));
    a.push_back(random.uniform(-2, 2));
  }
  const std::vector<double> times = {1, 1.5, 3};
  return kind == 0   ? straight_path(q, joints, times)
         : kind == 1 ? smooth_path(q, joints, times, v)
                     : smooth_path(q, joints, times, v, a);
}

TEST(Robot, Promises1And2TheJudgeAgreesOnRandomPathsAndEveryProofIsAccepted) {
  const RobotDescription description = arm();
  const Robot robot = make_robot(description);
  ASSERT_EQ(robot.problem(), "");
  ASSERT_EQ(robot.joints().size(), 4u);
  RobotWorld world = obstacles();
  world.bodies[1].motion = {
      {Eigen::Quaterniond::Identity(), {-1, 1, 1.2}}, {-1, 1, 1.2}, {0.5, -0.5, 0}, {0, 0, 1}};
  std::array<int, 4> verdicts{};
  for (std::uint64_t i = 0; i < test::scaled(60); ++i) {
    Random random("robot paths", 0, test::seed(), i);
    RobotOptions options;
    options.margin = i % 3 == 0 ? 0.02 : 0;
    options.proof = true;
    const Trajectory path = random_path(random, 4, static_cast<int>(i % 3));
    const RobotCheck check = check_path(robot, path, world, options);
    SCOPED_TRACE(i);
    ++verdicts[static_cast<std::size_t>(check.verdict)];
    judge(description, robot, world, options, path, check, 40);
    if (check.verdict != Verdict::separated) continue;
    const ProofCheck proof = verify(check.proof, robot, path, world, options);
    EXPECT_TRUE(proof.valid) << proof.problem;
  }
  EXPECT_EQ(verdicts[2] + verdicts[3], 0);
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(verdicts[0], 5);
  EXPECT_GT(verdicts[1], 5);
}

TEST(Robot, Promise1OfVerifyEveryKindOfChangedNumberIsRejected) {
  const Robot robot = make_robot(arm());
  const RobotWorld world = obstacles();
  RobotOptions options;
  options.proof = true;
  options.margin = 0.01;
  const Trajectory path = straight_path(std::vector<double>{0, 0, 0, 0, 0.3, 0.2, 0.3, 0.1}, 4);
  const RobotCheck check = check_path(robot, path, world, options);
  ASSERT_EQ(check.verdict, Verdict::separated);
  const auto accepted = [&](const RobotProof& proof) {
    return verify(proof, robot, path, world, options).valid;
  };
  ASSERT_TRUE(accepted(check.proof));
  int changes = 0;
  const auto expect_rejected = [&](const char* what,
                                   const std::function<void(RobotProof&)>& change) {
    RobotProof proof = check.proof;
    change(proof);
    EXPECT_FALSE(accepted(proof)) << what;
    ++changes;
  };
  // The first claim that does not hold is named.
  ASSERT_GT(check.proof.intervals.size(), 3u);
  RobotProof wrong = check.proof;
  for (const std::size_t k : {3u, 1u}) {
    wrong.intervals[k].normal *= -1;
    const ProofCheck found = verify(wrong, robot, path, world, options);
    EXPECT_EQ(found.interval, k);
    EXPECT_NE(found.problem.find("interval " + std::to_string(k)), std::string::npos);
  }
  for (std::size_t k = 0; k < check.proof.intervals.size(); ++k) {
    expect_rejected("removed", [&](RobotProof& p) {
      p.intervals.erase(p.intervals.begin() + static_cast<std::ptrdiff_t>(k));
    });
    expect_rejected("normal reversed", [&](RobotProof& p) { p.intervals[k].normal *= -1; });
    expect_rejected("normal NaN", [&](RobotProof& p) { p.intervals[k].normal[1] = Impact::nan; });
    expect_rejected("s0 later", [&](RobotProof& p) {
      p.intervals[k].s0 = 0.5 * (p.intervals[k].s0 + p.intervals[k].s1);
    });
    expect_rejected("s1 earlier", [&](RobotProof& p) {
      p.intervals[k].s1 = std::nextafter(p.intervals[k].s1, 0.0);
    });
    expect_rejected("a_end smaller", [&](RobotProof& p) { --p.intervals[k].a_end; });
    expect_rejected("a_begin larger", [&](RobotProof& p) { ++p.intervals[k].a_begin; });
    expect_rejected("b_end smaller", [&](RobotProof& p) { --p.intervals[k].b_end; });
    expect_rejected("b_begin larger", [&](RobotProof& p) { ++p.intervals[k].b_begin; });
    expect_rejected("b_end too large", [&](RobotProof& p) { p.intervals[k].b_end = 1000000; });
    expect_rejected("another piece", [&](RobotProof& p) { p.intervals[k].piece = 1; });
    expect_rejected("no pair", [&](RobotProof& p) { p.intervals[k].pair = 12345; });
  }
  for (std::size_t k = 0; k < check.proof.pairs.size(); ++k) {
    expect_rejected("another a", [&](RobotProof& p) { p.pairs[k].a = "nobody"; });
    expect_rejected("another b", [&](RobotProof& p) { p.pairs[k].b = "nobody"; });
    expect_rejected("a and b swapped",
                    [&](RobotProof& p) { std::swap(p.pairs[k].a, p.pairs[k].b); });
    expect_rejected("another shape_a", [&](RobotProof& p) { p.pairs[k].shape_a = 7; });
    expect_rejected("another shape_b", [&](RobotProof& p) { p.pairs[k].shape_b = 7; });
    expect_rejected("another order_a", [&](RobotProof& p) { p.pairs[k].order_a = 99; });
    expect_rejected("another order_b", [&](RobotProof& p) { p.pairs[k].order_b = 99; });
    expect_rejected("smaller margin", [&](RobotProof& p) { p.pairs[k].margin = 0.009; });
  }
  expect_rejected("order repeats a face", [](RobotProof& p) { p.orders[0][0] = p.orders[0][1]; });
  expect_rejected("order is short", [](RobotProof& p) { p.orders[0].pop_back(); });
  expect_rejected("no pairs", [](RobotProof& p) { p = {}; });
  EXPECT_GT(changes, 50);
  // The same proof does not hold for a larger margin or another path.
  options.margin = 0.5;
  EXPECT_FALSE(accepted(check.proof));
  options.margin = 0.01;
  const Trajectory other = straight_path(std::vector<double>{0, 0, 0, 0, 3, 2, 3, 0.1}, 4);
  EXPECT_FALSE(verify(check.proof, robot, other, world, options).valid);
}

TEST(Robot, TheMotionBoundHoldsAtSampledTimes) {
  const Robot robot = make_robot(arm());
  const RobotWorld world = obstacles();
  const PathChecker checker(robot, world, {});
  const auto& scene = checker.scene();
  double tightest = 1e9;
  for (std::uint64_t i = 0; i < test::scaled(100); ++i) {
    Random random("robot bounds", 0, test::seed(), i);
    const Trajectory path = random_path(random, 4, static_cast<int>(i % 3));
    LinkMotion motion(scene, curves_of(scene.mechanism, path, i % 2));
    const double s0 = random.uniform(0, 0.9), s1 = random.uniform(s0 + 0.01, 1);
    PathSample start, before, here, after;
    motion.begin(s0, start);
    std::vector<LimbBound> bounds;
    for (std::uint32_t limb = 0; limb < scene.limbs.size(); ++limb)
      bounds.push_back(motion.bound(start, s1, limb));
    const double h = 1e-4;
    for (int k = 0; k < 10; ++k) {
      const double s = random.uniform(s0 + h, s1 - h);
      motion.begin(s - h, before);
      motion.begin(s, here);
      motion.begin(s + h, after);
      for (std::size_t limb = 0; limb < scene.limbs.size(); ++limb) {
        const auto& shape = scene.mechanism.shapes[scene.limbs[limb].shape];
        for (const Vec3& x : shape.body.vertices()) {
          const std::uint32_t r = scene.limbs[limb].route;
          const Vec3 p = motion.route(before, r) * x, q = motion.route(here, r) * x,
                     t = motion.route(after, r) * x;
          const double speed = (t - p).norm() / (2 * h), turn = (t - 2 * q + p).norm() / (h * h);
          EXPECT_LE(speed, bounds[limb].speed * (1 + 1e-6) + 1e-6);
          EXPECT_LE(turn, bounds[limb].acceleration * (1 + 1e-5) + 1e-5);
          if (turn > 0.1) tightest = std::min(tightest, bounds[limb].acceleration / turn);
        }
      }
    }
  }
  EXPECT_LT(tightest, 3);
}

TEST(Robot, SinesAndCosinesAreWithinTheirError) {
  for (std::uint64_t i = 0; i < 100000; ++i) {
    Random random("sines", 0, test::seed(), i);
    const double q = random.uniform(-1, 1) * std::ldexp(1.0, random.integer(-30, 20));
    const SinCos found = sin_cos(q);
    EXPECT_NEAR(found.sin, std::sin(q), 9 * 0x1p-53) << q;
    EXPECT_NEAR(found.cos, std::cos(q), 9 * 0x1p-53) << q;
  }
}

// Returns a block that slides along x past another, or turns.
RobotDescription slider(RobotJoint::Kind kind, const Vec3& centre) {
  RobotDescription robot;
  robot.links = {{"base", {}}, {"block", {box_shape({0.5, 0.5, 0.5}, centre)}}};
  robot.joints = {joint("x", kind, "base", "block", {0, 0, 0},
                        kind == prismatic ? Vec3(1, 0, 0) : Vec3(0, 0, 1))};
  return robot;
}
RobotWorld one_box(const Vec3& half, const Vec3& at) {
  RobotWorld world;
  world.names = {"box"};
  world.bodies = {{make_box(half), resting({Eigen::Quaterniond::Identity(), at})}};
  return world;
}

TEST(Robot, GrazingByAMicrometreIsContactAndMissingByOneIsFree) {
  const Robot robot = make_robot(slider(prismatic, {0, 0, 0}));
  const Trajectory path = straight_path(std::vector<double>{-3, 3}, 1);
  for (const double gap : {-1e-6, 1e-6}) {
    const RobotWorld world = one_box({0.5, 0.5, 0.5}, {0, 1 + gap, 0});
    RobotOptions options;
    options.proof = true;
    const RobotCheck check = check_path(robot, path, world, options);
    EXPECT_EQ(check.verdict, gap < 0 ? Verdict::contact : Verdict::separated);
    if (gap < 0) {
      EXPECT_LE(check.s, 2.0 / 6);
      EXPECT_NEAR(check.s, 2.0 / 6, 1e-6);
    } else {
      EXPECT_TRUE(verify(check.proof, robot, path, world, options).valid);
    }
  }
  // A corner that turns past a wall: only the middle of the edge is within reach.
  const Robot turning = make_robot(slider(RobotJoint::Kind::continuous, {1, 1, 0}));
  const double reach = std::sqrt(2 * 1.5 * 1.5);
  for (const double gap : {-1e-6, 1e-6}) {
    const RobotWorld world = one_box({0.5, 5, 0.5}, {reach + gap + 0.5, 0, 0});
    const Trajectory turn = straight_path(std::vector<double>{0, -2}, 1);
    const RobotCheck check = check_path(turning, turn, world);
    EXPECT_EQ(check.verdict, gap < 0 ? Verdict::contact : Verdict::separated);
    if (gap < 0) {
      EXPECT_NEAR(check.s, std::numbers::pi / 8, 2e-3);
    }
  }
}

TEST(Robot, TwentyTurnsOfAContinuousJoint) {
  const Robot robot = make_robot(slider(RobotJoint::Kind::continuous, {1.2, 0, 0}));
  const Trajectory path = straight_path(std::vector<double>{0.3, 0.3 + 40 * std::numbers::pi}, 1);
  RobotOptions options;
  options.proof = true;
  const RobotWorld inside = one_box({0.3, 0.3, 0.3}, {0, 0, 0});
  const RobotCheck free = check_path(robot, path, inside, options);
  EXPECT_EQ(free.verdict, Verdict::separated);
  EXPECT_TRUE(verify(free.proof, robot, path, inside, options).valid);
  const RobotCheck blocked = check_path(robot, path, one_box({0.1, 0.1, 0.1}, {-1.5, 0, 0}));
  EXPECT_EQ(blocked.verdict, Verdict::contact);
  EXPECT_LT(blocked.s, 1.0 / 40);
}

TEST(Robot, ABlockInABoxThatItHardlyFits) {
  const Robot robot = make_robot(slider(prismatic, {0, 0, 0}));
  for (const double room : {1e-5, -1e-5}) {
    const generate::SurfaceModel shell = generate::box({2, 0.5 + room, 0.5 + room});
    RobotWorld world;
    world.names = {"shell"};
    world.bodies = {{make_body(shell.vertices, shell.faces), resting({})}};
    const Trajectory path = straight_path(std::vector<double>{-1, 1}, 1);
    const RobotCheck check = check_path(robot, path, world);
    EXPECT_EQ(check.verdict, room > 0 ? Verdict::separated : Verdict::contact);
  }
}

TEST(Robot, ASolidThatContainsALinkIsInContactAtTheStart) {
  const Robot robot = make_robot(slider(prismatic, {0, 0, 0}));
  const RobotCheck check = check_path(robot, straight_path(std::vector<double>{0, 0.1}, 1),
                                      one_box({2, 2, 2}, {0, 0, 0}));
  EXPECT_EQ(check.verdict, Verdict::contact);
  EXPECT_EQ(check.s, 0);
}

TEST(Robot, MimicFloatingAndFixedJointsMoveAsInTheJudge) {
  RobotDescription description = arm();
  description.joints.back().mimic = "j2";
  description.joints.back().multiplier = 0.2;
  description.joints.back().shift = 0.05;
  description.links.push_back({"world", {}});
  description.joints.push_back(
      joint("float", RobotJoint::Kind::floating, "world", "base", {0, 0, 0}, {1, 0, 0}));
  description.links.push_back({"part", {box_shape({0.1, 0.1, 0.1}, {0, 0, 0.1})}});
  description.joints.push_back(
      joint("grasp", RobotJoint::Kind::fixed, "tool", "part", {0, 0, 0.3}, {1, 0, 0}));
  const Robot robot = make_robot(description);
  ASSERT_EQ(robot.problem(), "");
  ASSERT_EQ(robot.joints().size(), 9u);
  const RobotWorld world = obstacles();
  std::array<int, 4> verdicts{};
  for (std::uint64_t i = 0; i < test::scaled(20); ++i) {
    Random random("floating", 0, test::seed(), i);
    std::vector<double> q;
    for (int k = 0; k < 18; ++k) q.push_back(random.uniform(-0.6, 0.6));
    const Trajectory path = straight_path(q, 9);
    RobotOptions options;
    options.proof = true;
    const RobotCheck check = check_path(robot, path, world, options);
    ++verdicts[static_cast<std::size_t>(check.verdict)];
    judge(description, robot, world, options, path, check, 40);
    if (check.verdict == Verdict::separated) {
      EXPECT_TRUE(verify(check.proof, robot, path, world, options).valid);
    }
  }
  EXPECT_EQ(verdicts[2] + verdicts[3], 0);
  EXPECT_GT(verdicts[0], 0);
}

TEST(Robot, Promise4BatchesDoNotDependOnThreads) {
  const Robot robot = make_robot(arm());
  const PathChecker checker(robot, obstacles(), {});
  std::vector<double> from, to;
  Random random("robot edges", 0, test::seed(), 0);
  for (int i = 0; i < 4 * 300; ++i) {
    from.push_back(random.uniform(-1.5, 1.5) * (i % 4 == 3 ? 0.1 : 1));
    to.push_back(from.back() + random.uniform(-0.1, 0.1));
  }
  const auto one = checker.check_edges(from, to, {.threads = 1});
  const auto many = checker.check_edges(from, to, {.threads = 4});
  ASSERT_EQ(one.size(), 300u);
  int contacts = 0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].verdict, many[i].verdict);
    EXPECT_EQ(one[i].a, many[i].a);
    if (one[i].verdict == Verdict::contact) {
      EXPECT_EQ(one[i].s, many[i].s);
      ++contacts;
    }
  }
  EXPECT_GT(contacts, 10);
  EXPECT_LT(contacts, 290);
}

TEST(Robot, Promise3ASpentBudgetIsUndecidedAndNeverFree) {
  const Robot robot = make_robot(arm());
  RobotOptions options;
  options.max_checks = 3;
  const Trajectory path = straight_path(std::vector<double>{0, 0, 0, 0, 0.3, 0.2, 0.3, 0.1}, 4);
  const RobotCheck check = check_path(robot, path, obstacles(), options);
  EXPECT_EQ(check.verdict, Verdict::undecided);
}

TEST(Robot, Promise3AStoppedCallIsUndecidedAndNeverFree) {
  const PathChecker checker(make_robot(arm()), obstacles());
  const Trajectory path = straight_path(std::vector<double>{0, 0, 0, 0, 0.3, 0.2, 0.3, 0.1}, 4);
  std::atomic<bool> stop = true;
  EXPECT_EQ(checker.check(path, &stop).verdict, Verdict::undecided);
  stop = false;
  EXPECT_EQ(checker.check(path, &stop).verdict, checker.check(path).verdict);
}

TEST(Robot, Promise1OfMakeRobotNamesEveryDefect) {
  const auto problem = [](const std::function<void(RobotDescription&)>& change) {
    RobotDescription robot = arm();
    change(robot);
    return make_robot(robot).problem();
  };
  const auto expect = [](const std::string& text, const char* part) {
    EXPECT_NE(text.find(part), std::string::npos) << text << " should mention " << part;
  };
  expect(problem([](auto& r) { r.links.clear(); }), "no links");
  expect(problem([](auto& r) { r.links[1].name = "base"; }), "\"base\": the name is used twice");
  expect(problem([](auto& r) { r.joints[1].name = "j1"; }), "\"j1\": the name is used twice");
  expect(problem([](auto& r) { r.joints[1].parent = "arm"; }), "no link has the name \"arm\"");
  expect(problem([](auto& r) { r.joints[1].child = "hand"; }), "is moved by joint");
  expect(problem([](auto& r) { r.joints.pop_back(); }), "both roots");
  expect(problem([](auto& r) { r.joints[0].parent = "tool"; }), "loop");
  expect(problem([](auto& r) { r.joints[0].axis = Vec3::Zero(); }), "axis");
  expect(problem([](auto& r) { r.joints[0].origin.translation[0] = Impact::nan; }), "origin");
  expect(problem([](auto& r) { r.joints[0].lower = 1, r.joints[0].upper = 0; }), "limits");
  expect(problem([](auto& r) { r.joints[0].mimic = "nobody"; }), "mimic");
  expect(problem([](auto& r) { r.links[1].shapes[0].faces[0][0] = 99; }),
         "link \"upper\", shape 0");
  expect(problem([](auto& r) { r.links[3].shapes[0].radius = -1; }), "link \"hand\", shape 0");
  expect(problem([](auto& r) { r.may_touch = {{"base", "moon"}}; }), "\"moon\"");
}

TEST(Robot, BadPathsWorldsAndOptionsAreInvalid) {
  RobotDescription description = arm();
  description.joints[0].lower = -1;
  description.joints[0].upper = 1;
  const Robot robot = make_robot(description);
  const std::vector<double> q = {0, 0, 0, 0, 0.3, 0.2, 0.3, 0.1};
  const Trajectory good = straight_path(q, 4);
  const auto invalid = [&](const Trajectory& path, const RobotWorld& world = {},
                           const RobotOptions& options = {}) {
    const RobotCheck check = check_path(robot, path, world, options);
    return check.verdict == Verdict::invalid && !check.problem.empty();
  };
  EXPECT_FALSE(invalid(good));
  EXPECT_TRUE(invalid({}));
  EXPECT_TRUE(invalid(straight_path(q, 2)));
  std::vector<double> bad = q;
  bad[2] = Impact::nan;
  EXPECT_TRUE(invalid(straight_path(bad, 4)));
  bad[2] = 1e300;
  EXPECT_TRUE(invalid(straight_path(bad, 4)));
  bad = q;
  bad[4] = 1.5;
  EXPECT_TRUE(invalid(straight_path(bad, 4)));
  EXPECT_FALSE(invalid(straight_path(bad, 4), {}, {.joint_limits = false}));
  EXPECT_TRUE(invalid(straight_path(q, 4, std::vector<double>{1, 1})));
  EXPECT_TRUE(invalid(good, {}, {.margin = -1}));
  EXPECT_TRUE(invalid(good, {}, {.margins = {{"base", "moon", 0.1}}}));
  EXPECT_TRUE(invalid(good, {}, {.threshold = 0}));
  RobotWorld world = obstacles();
  world.bodies[0].body = make_half_space();
  EXPECT_TRUE(invalid(good, world));
  world = obstacles();
  world.names[1] = "wall";
  EXPECT_TRUE(invalid(good, world));
  world = obstacles();
  world.may_touch = {{"wall", "moon"}};
  EXPECT_TRUE(invalid(good, world));
  EXPECT_EQ(check_path(Robot(), good).verdict, Verdict::invalid);
}

TEST(Robot, MarginsOfPairsTakeThePlaceOfTheCommonMargin) {
  const Robot robot = make_robot(slider(prismatic, {0, 0, 0}));
  const RobotWorld world = one_box({0.5, 0.5, 0.5}, {0, 1.1, 0});
  const Trajectory path = straight_path(std::vector<double>{-3, 3}, 1);
  EXPECT_EQ(check_path(robot, path, world, {.margin = 0.05}).verdict, Verdict::separated);
  EXPECT_EQ(check_path(robot, path, world, {.margin = 0.15}).verdict, Verdict::contact);
  EXPECT_EQ(check_path(robot, path, world, {.margins = {{"block", "box", 0.15}}}).verdict,
            Verdict::contact);
  EXPECT_EQ(
      check_path(robot, path, world, {.margin = 0.2, .margins = {{"box", "block", 0.05}}}).verdict,
      Verdict::separated);
}

TEST(Robot, APrismEnclosesItsCylinderWithinTheExcess) {
  for (const double radius : {0.01, 0.09, 3.0}) {
    const double excess = 1e-4 * radius;
    const Body prism = enclosing_prism(radius, 1, excess);
    ASSERT_EQ(prism.status(), Status::ok);
    for (const Vec3& v : prism.vertices()) {
      EXPECT_GE(v.head<2>().norm(), radius);
      EXPECT_LE(v.head<2>().norm(), radius + excess * 1.001);
    }
    // The sides stay outside of the circle.
    for (std::size_t i = 0; i < prism.vertices().size(); i += 2) {
      const Vec3 next = prism.vertices()[(i + 2) % prism.vertices().size()];
      EXPECT_GE((0.5 * (prism.vertices()[i] + next)).head<2>().norm(), radius);
    }
  }
  EXPECT_EQ(enclosing_prism(-1, 1, 1e-3).status(), Status::bad_size);
}

}  // namespace
}  // namespace graze::rigid::robot_test
