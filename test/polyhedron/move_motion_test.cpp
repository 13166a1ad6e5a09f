#include "graze/polyhedron/move.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "graze/generate/random.h"
#include "graze/polyhedron/body/motion_surface.h"
#include "test/support/rigid_check.h"
#include "test/support/scale.h"

namespace graze::polyhedron::move_motion_test {
namespace {

using generate::Random;
using std::numbers::pi;

// Returns a point, polygons of 3 and of 5 corners, a strip bent by a right angle, a hull and boxes.
std::vector<MotionModel> models() {
  std::vector<MotionModel> all;
  const auto add = [&](Model model) { all.push_back(make_motion_model(std::move(model))); };
  add(model_of_point({0.3, -0.2, 0.1}));
  const std::vector<Vec3> corners = {{-1, 0, -0.5}, {0, 0, -0.5}, {0, 1, -0.5}, {-1, 1, -0.5},
                                     {0, 0, 0.5},   {0, 1, 0.5},  {1, -1, 0.5}};
  add(make_model(corners, std::vector<Polygon>{{0, 1, 2}}));
  add(make_model(std::vector<Vec3>{{-1, -1, 0}, {0, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}},
                 std::vector<Polygon>{{0, 1, 2, 3, 4}}));
  add(make_model(corners, std::vector<Polygon>{{0, 1, 2, 3}, {1, 4, 5, 2}}));
  add(convex_hull(corners));
  add(model_of_box({{-0.5, -0.7, -0.3}, {0.5, 0.7, 0.3}}));
  add(model_of_box({{-1, -1, -0.01}, {1, 1, 0.01}}));
  return all;
}

Pose random_pose(Random& random, double reach) {
  const Vec3 axis = random.cube(-1, 1);
  const double angle = random.uniform(-pi, pi);
  return Pose::from_axis_angle(axis, angle, reach * random.cube(-1, 1));
}

Pose at(const Vec3& translation) {
  return {Eigen::Quaterniond::Identity(), translation};
}

rigid::Motion random_motion(Random& random, double reach, double turn) {
  rigid::Motion motion;
  motion.start = random_pose(random, reach);
  motion.centre = motion.start.translation + 0.5 * random.cube(-1, 1);
  motion.velocity = random.cube(-1, 1) - 1.5 * motion.start.translation;
  motion.rotation = turn * random.cube(-1, 1);
  return motion;
}

struct Tally {
  std::size_t contacts = 0, separated = 0, undecided = 0, unproven = 0;
};

// Checks promises (1) and (2) by the judge of rigid motions.
void judge(const MotionModel& mover, const rigid::Motion& motion, const MovingBody& other,
           const MotionOptions& options, Tally& tally) {
  const MotionResult result = move(std::array{other}, mover, motion, options);
  ASSERT_NE(result.verdict, Verdict::invalid);
  const rigid::Body &a = mover.surface->body, &b = other.model->surface->body;
  test::RigidCheck check(a.vertices(), a.faces(), motion, b.vertices(), b.faces(), other.motion);
  // Close to a contact, within rounding, bisection cannot prove the last part of the time.
  const double ahead = options.distance_tol > 0 ? 0 : 1e-9;
  const double wanted = result.verdict == Verdict::separated ? 1 : result.toi - ahead;
  if (wanted > 0) {
    const double proven = check.free_until(wanted, 1e-12, 2'000'000);
    if (proven == 0)
      ++tally.unproven;
    else
      ASSERT_GE(proven, wanted) << "late";
  }
  if (result.verdict == Verdict::contact) {
    const double error = placement_error(motion, 4) + placement_error(other.motion, 4);
    const double tol = options.distance_tol > 0 ? options.distance_tol * (1 + 1e-9) : 16 * error;
    ASSERT_LE(check.distance_hi(result.toi), tol) << "early";
    ASSERT_NEAR(result.contact.normal.norm(), 1, 1e-9);
    ++tally.contacts;
  }
  tally.separated += result.verdict == Verdict::separated;
  tally.undecided += result.verdict == Verdict::undecided;
}

TEST(MoveMotion, IsNeverLateAndEndsAtAContact) {
  const std::vector<MotionModel> all = models();
  Tally tally;
  const std::size_t count = test::scaled(1000);
  for (std::size_t i = 0; i < count; ++i) {
    SCOPED_TRACE(i);
    Random random("move motion", 0, 1, i);
    const std::size_t a = random.below(all.size()), b = random.below(all.size());
    if (a + b == 0) continue;
    const double turn = random.one_in(3) ? 2 * pi : 1;
    const rigid::Motion motion = random_motion(random, 2, turn);
    const MovingBody other{&all[b], random.one_in(2) ? random_motion(random, 0.1, turn)
                                                     : rigid::resting(random_pose(random, 0.1))};
    MotionOptions options;
    if (random.one_in(2)) options.distance_tol = 1e-4;
    judge(all[a], motion, other, options, tally);
    if (testing::Test::HasFatalFailure()) return;
  }
  std::printf("%zu contacts, %zu separated, %zu undecided, %zu beyond the judge's budget\n",
              tally.contacts, tally.separated, tally.undecided, tally.unproven);
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(tally.contacts, count / 4);
  EXPECT_GT(tally.separated, count / 10);
  EXPECT_LE(tally.undecided + tally.unproven, count / 50);
}

// For a translation or a rotation, move() along a Path gives the answer to the last bit.
// Coordinates on a lattice make vertices meet edges and faces lie in faces.
TEST(MoveMotion, AgreesWithTheExactMoverForTranslationsAndRotations) {
  const std::vector<MotionModel> all = models();
  Scratch scratch;
  std::size_t contacts = 0, separated = 0, early = 0;
  const std::size_t count = test::scaled(3000);
  for (std::size_t i = 0; i < count; ++i) {
    SCOPED_TRACE(i);
    Random random("move motion exact", 0, 1, i);
    const std::size_t a = random.below(all.size()), b = random.below(all.size());
    if (a + b == 0) continue;
    Pose start;
    start.translation = random.lattice(5) / 2;
    const std::array world{make_obstacle(all[b].model)};
    const std::array bodies{MovingBody{&all[b], rigid::resting({})}};
    MotionResult result;
    MoveResult exact;
    double first = 0, last = 0;  // of the exact contact, as times of the motion
    if (random.one_in(2)) {
      const Vec3 way = random.lattice(3) / 2 - 1.5 * start.translation;
      exact = move(world, all[a].model, translating(start, way), scratch);
      result = move(bodies, all[a], rigid::translation(start, way));
      first = exact.toi;
      last = exact.toi_hi;
    } else {
      const Vec3 point = random.lattice(2) / 2, axis = random.lattice(1) + Vec3(0.125, 0, 0);
      const double angle = random.uniform(0.1, pi / 2);
      const std::vector<Path> pieces = turning(start, point, axis, angle);
      ASSERT_EQ(pieces.size(), 1u);
      exact = move(world, all[a].model, pieces, scratch);
      const Vec3 rotation = axis.normalized() * angle;
      result = move(bodies, all[a], rigid::rotation_about(start, point, rotation));
      const auto time_of = [&](double f) {
        const Eigen::Quaterniond q = pose_at(pieces[0], f).rotation;
        return 2 * std::atan2(q.vec().norm(), q.w()) / angle;
      };
      if (exact.verdict == Verdict::contact) {
        first = time_of(exact.toi) - 1e-12;  // the pivot is rounded
        last = time_of(exact.toi_hi) + 1e-12;
      }
    }
    ASSERT_NE(result.verdict, Verdict::invalid);
    if (exact.verdict == Verdict::contact) {
      ASSERT_LE(result.toi, last) << "late";
      ++contacts;
    } else {
      ++separated;
    }
    // A contact reported early, or without a true contact, is within the resolution of doubles.
    if (result.verdict == Verdict::contact &&
        (exact.verdict == Verdict::separated || result.toi < first - 1e-5)) {
      const Vec3 across = result.contact.mover_point - result.contact.world_point;
      ASSERT_LT(across.norm(), 1e-11);
      ++early;
    }
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_LT(early, count / 20);
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(contacts, count / 4);
  EXPECT_GT(separated, count / 4);
}

TEST(MoveMotion, IsFreeAtEveryTimeSampledExactly) {
  const std::vector<MotionModel> all = models();
  Scratch scratch;
  std::size_t contacts = 0, after = 0;
  const std::size_t count = test::scaled(150);
  for (std::size_t i = 0; i < count; ++i) {
    SCOPED_TRACE(i);
    Random random("move motion sampled", 0, 1, i);
    const std::size_t a = random.below(all.size()), b = 1 + random.below(all.size() - 1);
    const rigid::Motion motion = random_motion(random, 2, 2);
    const std::array world{make_obstacle(all[b].model)};
    const MotionResult result =
        move(std::array{MovingBody{&all[b], rigid::resting({})}}, all[a], motion);
    if (result.toi == 0) continue;
    constexpr int samples = 200;
    for (int k = 0; k < samples; ++k) {
      const double t = std::min(result.toi, 1.) * (1 - 1e-9) * k / samples;
      ASSERT_FALSE(position_test(world, all[a].model, pose_at(motion, t), scratch).touches()) << t;
    }
    if (result.verdict != Verdict::contact || result.toi > 1 - 1e-6) continue;
    ++contacts;
    for (int k = 1; k < 5; ++k)
      if (position_test(world, all[a].model, pose_at(motion, std::min(1.0, result.toi + 1e-6 * k)),
                        scratch)
              .touches()) {
        ++after;
        break;
      }
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(contacts, count / 4);
  EXPECT_GT(after, contacts / 2);  // it would have gone in
}

TEST(MoveMotion, StopsAtTheFirstOfManyBodies) {
  const MotionModel cube = make_motion_model(model_of_box({{-1, -1, -1}, {1, 1, 1}}));
  std::vector<MovingBody> world;
  for (const double x : {30.0, 10.0, 20.0}) world.push_back({&cube, rigid::resting(at({x, 0, 0}))});
  rigid::Motion motion = rigid::translation({}, {40, 0, 0});
  motion.rotation = {3, 0, 0};
  MotionResult result = move(world, cube, motion);
  EXPECT_EQ(result.verdict, Verdict::contact);
  EXPECT_EQ(result.contact.body, 1u);
  EXPECT_NEAR(result.toi, 0.2, 1e-12);
  EXPECT_NEAR(result.contact.normal[0], -1, 1e-6);
  EXPECT_NEAR(result.end.translation[0], 8, 1e-10);
  // The body moves away at the same speed and is never reached.
  for (MovingBody& body : world) body.motion.velocity = {40, 0, 0};
  result = move(world, cube, motion);
  EXPECT_EQ(result.verdict, Verdict::separated);
  EXPECT_EQ(result.toi, Impact::inf);
  EXPECT_EQ(result.toi_hi, Impact::inf);
  EXPECT_NEAR(result.end.translation[0], 40, 1e-12);
}

TEST(MoveMotion, InvalidInputIsInvalid) {
  const MotionModel cube = make_motion_model(model_of_box({{-1, -1, -1}, {1, 1, 1}}));
  const MotionModel none = make_motion_model(Model{});
  const std::array world{MovingBody{&cube, rigid::resting(at({10, 0, 0}))}};
  EXPECT_EQ(move(world, none, {}).verdict, Verdict::invalid);
  EXPECT_EQ(move(world, none, {}).toi, 0);
  EXPECT_TRUE(std::isnan(move(world, none, {}).toi_hi));
  rigid::Motion motion;
  motion.velocity[0] = std::nan("");
  EXPECT_EQ(move(world, cube, motion).verdict, Verdict::invalid);
  motion.velocity[0] = 1e300;
  const MotionResult huge = move(world, cube, motion);
  EXPECT_EQ(huge.verdict, Verdict::undecided);
  EXPECT_EQ(huge.toi, 0);
  EXPECT_EQ(huge.toi_hi, 1);
  EXPECT_EQ(move({}, cube, {}).verdict, Verdict::separated);
  const MotionModel point = make_motion_model(model_of_point({0, 0, 0}));
  EXPECT_EQ(move(std::array{MovingBody{&point, rigid::resting({})}}, point, {}).verdict,
            Verdict::separated);
}

}  // namespace
}  // namespace graze::polyhedron::move_motion_test
