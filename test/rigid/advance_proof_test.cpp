// Verifies advance() on random shots by test/support/rigid_check.h, which shares no code with it.
// GRAZE_TEST_SCALE multiplies their number.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "graze/generate/models.h"
#include "graze/generate/random.h"
#include "graze/rigid/advance.h"
#include "graze/rigid/motion/sliding.h"
#include "test/support/rigid_check.h"
#include "test/support/scale.h"

namespace graze::rigid::advance_proof_test {
namespace {

using generate::Random;
using std::numbers::pi;

struct Tally {
  std::size_t shots = 0, contacts = 0, undecided = 0, unproven = 0;
};

struct Thing {
  generate::SurfaceModel surface;
  Body body;

  explicit Thing(generate::SurfaceModel made) : surface(std::move(made)) {
    body = make_body(surface.vertices, surface.faces);
  }
};

double larger_size(const Thing& a, const Thing& b) {
  return std::max(a.body.size(), b.body.size());
}

// Asserts (1) no contact in [0, toi), or in [0, 1] if separated, and (2) on contact a distance
// within the threshold at toi. Counts the proofs that exceed the budget of the judge.
void judge(const Thing& a, const Motion& motion_a, const Thing& b, const Motion& motion_b,
           const AdvanceOptions& options, Tally& tally) {
  const BodyImpact found = advance(a.body, motion_a, b.body, motion_b, options);
  const Impact& impact = found.impact;
  ++tally.shots;
  ASSERT_NE(impact.verdict, Verdict::invalid);
  test::RigidCheck check(a.surface.vertices, a.surface.faces, motion_a, b.surface.vertices,
                         b.surface.faces, motion_b);
  // Up to a contact, the judge needs a small distance to prove anything.
  const double claimed = impact.verdict == Verdict::separated ? 1 : impact.toi;
  const double before = 1e-9;
  const double proven = claimed > 0 ? check.free_until(claimed, 1e-13, 300'000) : 0;
  if (claimed > 0 && proven == 0)
    ++tally.unproven;
  else
    ASSERT_GE(proven, claimed == 1 ? claimed : claimed - before) << "late";
  tally.undecided += impact.verdict == Verdict::undecided;
  if (impact.verdict != Verdict::contact) return;
  ++tally.contacts;
  const double threshold = options.threshold > 0 ? options.threshold : 1e-3 * larger_size(a, b);
  ASSERT_LE(check.distance_hi(impact.toi), threshold * (1 + 1e-9)) << "early";
}

void report(const char* what, const Tally& tally) {
  std::printf("%s: %zu shots, %zu contacts, %zu undecided, %zu beyond the judge's budget\n", what,
              tally.shots, tally.contacts, tally.undecided, tally.unproven);
}

std::vector<Thing> small_things(double scale) {
  std::vector<Thing> things;
  for (generate::SurfaceModel model :
       {generate::tetrahedron(), generate::l_shape(), generate::box({0.7, 0.4, 0.01}),
        generate::torus_knot(16, 4), generate::soup(12, 0.8, 1), generate::ring(8, 4),
        generate::box({0.5, 0.5, 0.5})})
    things.emplace_back(scaled(std::move(model), scale));
  return things;
}

Pose random_pose(Random& random, double reach) {
  const Vec3 axis = random.cube(-1, 1);
  const double angle = random.uniform(-pi, pi);
  return Pose::from_axis_angle(axis, angle, reach * random.cube(-1, 1));
}

// Judges shots of two bodies that move and turn by up to `turn` radians, on paths that mostly
// cross.
void random_shots(const char* what, double scale, double turn, std::size_t count) {
  const std::vector<Thing> things = small_things(scale);
  Tally tally;
  for (std::size_t i = 0; i < count; ++i) {
    SCOPED_TRACE(testing::Message() << what << ", shot " << i);
    Random random(what, 0, 1, i);
    const Thing &a = things[random.below(things.size())], &b = things[random.below(things.size())];
    const double size = a.body.size() + b.body.size();
    Motion motion_a, motion_b;
    motion_a.start = random_pose(random, 0);
    motion_a.start.translation = 0.8 * size * random.cube(-1, 1);
    motion_a.centre = motion_a.start.translation + 0.2 * size * random.cube(-1, 1);
    motion_a.velocity = 0.3 * size * random.cube(-1, 1) - 1.5 * motion_a.start.translation;
    motion_a.rotation = turn * random.cube(-1, 1) / std::numbers::sqrt3;
    motion_b.start = random_pose(random, 0);
    if (random.one_in(2)) {
      motion_b.velocity = 0.3 * size * random.cube(-1, 1);
      motion_b.rotation = turn * random.cube(-1, 1) / std::numbers::sqrt3;
    }
    AdvanceOptions options;
    if (random.one_in(4)) options.threshold = 1e-5 * size;
    judge(a, motion_a, b, motion_b, options, tally);
    if (testing::Test::HasFatalFailure()) return;
  }
  report(what, tally);
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(tally.contacts, count / 4);
  EXPECT_LT(tally.contacts, count / 20 * 19);
  EXPECT_LE(tally.undecided, count / 100);
  EXPECT_LE(tally.unproven, count / 50);
}

TEST(AdvanceProof, OfRandomShots) {
  random_shots("random shots", 1, pi, test::scaled(600));
}
TEST(AdvanceProof, OfTranslations) {
  random_shots("translations", 1, 0, test::scaled(200));
}
TEST(AdvanceProof, OfFullTurns) {
  random_shots("full turns", 1, 2 * pi, test::scaled(200));
}
TEST(AdvanceProof, OfSmallThings) {
  random_shots("small things", 1e-3, pi, test::scaled(150));
}
TEST(AdvanceProof, OfLargeThings) {
  random_shots("large things", 1e3, pi, test::scaled(150));
}

TEST(AdvanceProof, OfThinBoardsHitAtAHundredTimesTheirThickness) {
  const std::vector<Thing> things = small_things(1);
  Tally tally;
  const std::size_t count = test::scaled(200);
  for (std::size_t i = 0; i < count; ++i) {
    SCOPED_TRACE(testing::Message() << "board " << i);
    Random random("thin boards", 0, 1, i);
    const double thick = std::pow(10, -random.integer(2, 5));
    const Thing board(generate::box({1, 1, thick / 2}));
    const Thing& a = things[random.below(things.size())];
    const Pose tilted = random_pose(random, 0.1);
    const double way = 100 * thick;
    Motion motion_a;
    motion_a.start = random_pose(random, 0);
    motion_a.start.translation = tilted.rotation * Vec3(0, 0, a.body.size() / 2 + way / 2);
    motion_a.centre = motion_a.start.translation;
    motion_a.velocity = tilted.rotation * Vec3(0, 0, -way - a.body.size() / 2);
    if (random.one_in(2)) motion_a.rotation = random.cube(-1, 1);
    judge(a, motion_a, board, resting(tilted), {}, tally);
    if (HasFatalFailure()) return;
  }
  report("thin boards", tally);
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(tally.contacts, count / 3);
}

TEST(AdvanceProof, OfNearlyParallelFaces) {
  const Thing cube(generate::box({0.5, 0.5, 0.5})), board(generate::box({2, 2, 0.1}));
  Tally tally;
  const std::size_t count = test::scaled(100);
  for (std::size_t i = 0; i < count; ++i) {
    SCOPED_TRACE(testing::Message() << "parallel " << i);
    Random random("parallel", 0, 1, i);
    const Vec3 aside = random.cube(-1, 1);
    const double angle = std::pow(10, -random.integer(1, 9));
    Pose from = Pose::from_axis_angle({aside[1], aside[0], 0}, angle, {aside[0], aside[1], 1.2});
    Pose to = from;
    // Flush onto the board, or along it just above.
    to.translation = random.one_in(2) ? Vec3(-aside[0], aside[1], 0.55)
                                      : Vec3(-aside[0], -aside[1], random.uniform(0.605, 0.65));
    if (random.one_in(3)) to.rotation = Pose::from_axis_angle({0, 0, 1}, 0.3).rotation;
    AdvanceOptions options;
    options.threshold = 1e-3;
    judge(cube, linear_motion(from, to), board, resting({}), options, tally);
    if (HasFatalFailure()) return;
  }
  report("nearly parallel", tally);
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(tally.contacts, count / 4);
}

TEST(AdvanceProof, OfTheRefinedTime) {
  const std::vector<Thing> things = small_things(1);
  Tally tally;
  const std::size_t count = test::scaled(100);
  for (std::size_t i = 0; i < count; ++i) {
    SCOPED_TRACE(testing::Message() << "refined " << i);
    Random random("refined", 0, 1, i);
    const Thing &a = things[random.below(things.size())], &b = things[random.below(things.size())];
    const double size = a.body.size() + b.body.size();
    Motion motion;
    motion.start = random_pose(random, 0);
    motion.start.translation = motion.centre = size * random.cube(-1, 1);
    motion.velocity = -1.5 * motion.centre;
    motion.rotation = random.cube(-1, 1);
    AdvanceOptions options;
    options.smallest_threshold = true;
    const BodyImpact found = advance(a.body, motion, b.body, resting({}), options);
    ++tally.shots;
    test::RigidCheck check(a.surface.vertices, a.surface.faces, motion, b.surface.vertices,
                           b.surface.faces, resting({}));
    if (found.impact.verdict != Verdict::contact) continue;
    ++tally.contacts;
    if (found.impact.toi == 0) continue;
    const double proven = check.free_until(found.impact.toi, 1e-13, 300'000);
    if (proven == 0)
      ++tally.unproven;
    else
      ASSERT_GE(proven, found.impact.toi - 1e-9) << "late";
    ASSERT_LT(check.distance_hi(found.impact.toi), 1e-9 * size) << "early";
  }
  report("refined", tally);
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(tally.contacts, count / 4);
}

// Threads, combs and drawers that slide along their mates at a small distance, alone or with both
// bodies in motion. The search of the threads uses Sliding.
TEST(AdvanceProof, OfMatingParts) {
  const Thing bolt(generate::thread(1, 16, 3, 6)), nut(generate::thread(1.1, 16, 2, 6)),
      comb(generate::comb(4, 0.4, 2)), drawer(generate::tray({1, 0.8, 0.4}, 2, 4)),
      cabinet(generate::tray({1.02, 0.82, 0.42}, 0, 4));
  Tally tally;
  std::size_t slid = 0;
  const std::size_t count = test::scaled(30);
  for (std::size_t i = 0; i < count; ++i) {
    SCOPED_TRACE(testing::Message() << "mating parts " << i);
    Random random("mating parts", 0, 1, i);
    const double off = random.one_in(2) ? 0 : std::pow(10, -random.integer(1, 3));
    const Vec3 jolt = off * random.cube(-1, 1), twist = off * random.cube(-1, 1);
    const Thing &a = i % 3 == 0   ? nut
                     : i % 3 == 1 ? comb
                                  : drawer,
                &b = i % 3 == 0   ? bolt
                     : i % 3 == 1 ? comb
                                  : cabinet;
    Motion motion_a, motion_b;
    if (i % 3 == 0) {
      const double angle = random.uniform(-2, 2);
      motion_a.start.translation = motion_a.centre = {0, 0, 0.5};
      motion_a.rotation = {0, 0, angle};
      motion_a.velocity = {0, 0, generate::thread_pitch * angle / (2 * pi)};
    } else if (i % 3 == 1) {
      motion_a.start = Pose::from_axis_angle({0, 1, 0}, pi, {3.5, 0, 2.2});
      motion_a.centre = {1.5, 0, 1};
      motion_a.velocity = {0, random.uniform(-1.5, 1.5), random.uniform(-0.1, 1)};
      motion_a.rotation = {random.uniform(-0.2, 0.2), 0, 0};
    } else {
      motion_a.velocity = {random.uniform(0, 1.5), 0, 0};
    }
    motion_a.velocity += jolt;
    motion_a.rotation += twist;
    if (random.one_in(2)) {  // both turn, about the same point
      const Vec3 turn = random.cube(-1, 1);
      motion_b.centre = motion_a.centre;
      motion_b.rotation = turn;
      motion_a.rotation += turn;
    }
    AdvanceOptions options;
    options.threshold = 1e-3;
    slid += advance(a.body, motion_a, b.body, motion_b, options).impact.checks > 2000;
    judge(a, motion_a, b, motion_b, options, tally);
    if (HasFatalFailure()) return;
  }
  report("mating parts", tally);
  std::printf("%zu of them took more than 2000 checks\n", slid);
  EXPECT_EQ(tally.undecided, 0u);
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(tally.contacts, count / 6);
  EXPECT_LT(tally.contacts, count / 6 * 5);
  EXPECT_GT(slid, count / 30);
  EXPECT_LE(tally.unproven, count / 2);
}

// A nut on its bolt, a comb in a comb and a drawer in its cabinet take at most a fiftieth of the
// checks that they took with planes that are fixed in the world.
TEST(AdvanceProof, MatingPartsTakeFewChecks) {
  const auto made = [](const char* name) {
    return Thing(generate::find_model_recipe(name)->make());
  };
  const Thing nut = made("nut"), bolt = made("bolt"), comb = made("comb"), drawer = made("drawer"),
              cabinet = made("cabinet");
  const double angle = 0.9 * pi;  // 162 degrees
  Motion screw;
  screw.start.translation = screw.centre = {0, 0, 1};
  screw.rotation = {0, 0, angle};
  screw.velocity = {0, 0, generate::thread_pitch * angle / (2 * pi)};
  const Pose up = Pose::from_axis_angle({0, 1, 0}, pi, {23.5, 0, 2.2});
  const Motion still = resting({}), turn = rotation_about({}, {0, 0, 0}, {0, 0, 1});
  struct Case {
    const char* name;
    const Thing &a, &b;
    Motion motion_a, motion_b;
    std::uint32_t checks_before;
  };
  for (const Case& one : {
           Case{"nut on bolt", nut, bolt, screw, still, 10'040'864},
           {"comb along comb", comb, comb, translation(up, {0, 1.5, 0}), still, 290'943},
           {"combs as one", comb, comb, rotation_about(up, {0, 0, 0}, {0, 0, 1}), turn, 1'365'600},
           {"drawer out of cabinet", drawer, cabinet, translation({}, {1.8, 0, 0}), still, 123'290},
           {"drawer and cabinet as one", drawer, cabinet, turn, turn, 837'523},
       }) {
    AdvanceOptions options;
    options.threshold = 1e-4;
    const Impact impact =
        advance(one.a.body, one.motion_a, one.b.body, one.motion_b, options).impact;
    EXPECT_EQ(impact.verdict, Verdict::separated) << one.name;
    EXPECT_LE(impact.checks, one.checks_before / 50) << one.name;
  }
}

// Sliding::keeps_apart() on single triangles, with the largest distance that it proves, found by
// bisection: the triangles keep that distance at sampled times.
TEST(AdvanceProof, OfPlanesThatMoveWithABody) {
  double longest = 0, widest = 0;
  std::array<std::size_t, 4> proven{};  // by the bodies that rotate
  const std::size_t count = test::scaled(3000);
  for (std::size_t i = 0; i < count; ++i) {
    Random random("sliding planes", 0, 1, i);
    const auto triangle = [&] {
      return make_model({random.cube(-1, 1), random.cube(-1, 1), random.cube(-1, 1)}, {{0, 1, 2}});
    };
    const Model a = triangle(), b = triangle();
    const auto motion = [&](double size) {
      Motion result;
      result.start = random_pose(random, 1);
      result.centre = random.cube(-2, 2);
      result.velocity = size * random.cube(-1, 1);
      if (!random.one_in(4)) result.rotation = 3 * size * random.cube(-1, 1);
      return result;
    };
    const double size = std::pow(10, -random.integer(0, 2));
    const Motion motion_a = motion(size);
    Motion motion_b = motion(size);
    if (random.one_in(3)) motion_b.rotation = motion_a.rotation;
    if (random.one_in(3)) motion_b.centre = motion_a.centre;
    const double begin = random.one_in(2) ? 0 : random.uniform(0, 0.5),
                 end = begin + random.uniform(0.1, 0.5), middle = 0.5 * (begin + end);
    const auto frame = [&](double t) {
      return Frame{t, placement_at(motion_a, t), placement_at(motion_b, t)};
    };
    const Sliding::Base base = random.one_in(2) ? Sliding::Base::a : Sliding::Base::b;
    const auto keeps = [&](double distance) {
      return Sliding(a, motion_a, b, motion_b, 1, distance)
          .keeps_apart(base, a.tree.node(0), b.tree.node(0), frame(begin), frame(middle),
                       frame(end));
    };
    if (!keeps(0)) continue;
    double kept = 0, more = 8;
    for (int step = 0; step < 24; ++step)
      (keeps(0.5 * (kept + more)) ? kept : more) = 0.5 * (kept + more);
    const bool turns_a = !motion_a.rotation.isZero(0), turns_b = !motion_b.rotation.isZero(0);
    ++proven[(turns_a ? 1u : 0u) + (turns_b ? 2u : 0u)];
    longest = std::max(longest, end - begin);
    widest = std::max(widest, (motion_a.rotation - motion_b.rotation).norm() * (end - begin));
    for (int k = 0; k <= 100; ++k) {
      const double t = std::min(begin + (end - begin) * k / 100, end);
      const test::CheckedPose at_a = test::rigid_check::pose_at(motion_a, t, 2),
                              at_b = test::rigid_check::pose_at(motion_b, t, 2);
      const auto placed = [](const Model& model, const test::CheckedPose& at) {
        return test::Triangle{at(model.vertices[0]), at(model.vertices[1]), at(model.vertices[2])};
      };
      ASSERT_GT(test::triangle_gap(placed(a, at_a), placed(b, at_b)).upper, kept)
          << "case " << i << " at " << t;
    }
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  for (const std::size_t cases : proven) EXPECT_GT(cases, count / 40);
  EXPECT_GT(longest, 0.45);
  EXPECT_GT(widest, 1);
}

}  // namespace
}  // namespace graze::rigid::advance_proof_test
