#include "graze/rigid/advance.h"

#include <gtest/gtest.h>
#include <xmmintrin.h>

#include <atomic>
#include <cmath>
#include <map>
#include <numbers>
#include <string>
#include <thread>

#include "graze/generate/models.h"
#include "graze/generate/random.h"
#include "test/support/rigid_check.h"
#include "test/support/scale.h"

namespace graze::rigid::advance_test {
namespace {

using generate::Random;
using std::numbers::pi;

struct Shot {
  generate::SurfaceModel a, b;
  Motion motion_a, motion_b;

  Body body_a() const { return make_body(a.vertices, a.faces); }
  Body body_b() const { return make_body(b.vertices, b.faces); }
  BodyImpact advanced(const AdvanceOptions& options = {}) const {
    return advance(body_a(), motion_a, body_b(), motion_b, options);
  }
  test::RigidCheck check() const {
    return {a.vertices, a.faces, motion_a, b.vertices, b.faces, motion_b};
  }
};

generate::SurfaceModel small_model(Random& random) {
  switch (random.below(6)) {
    case 0:
      return generate::tetrahedron();
    case 1:
      return generate::box(
          {random.uniform(0.1, 1), random.uniform(0.1, 1), random.uniform(0.1, 1)});
    case 2:
      return generate::l_shape();
    case 3:
      return generate::ring(12, 6);
    case 4:
      return generate::box({1, 1, 0.005});
    default:
      return generate::soup(20, 0.4, random.below(1000));
  }
}

Eigen::Quaterniond random_turn(Random& random) {
  const double w = random.uniform(-1, 1);
  const Vec3 v = random.cube(-1, 1);
  return Eigen::Quaterniond(w, v[0], v[1], v[2]);
}

// Returns a motion that starts `distance` from the origin and passes it at some offset.
Motion random_motion(Random& random, double distance, double turns) {
  const Vec3 from = random.cube(-1, 1).normalized() * distance;
  const Vec3 aim = random.cube(-0.7, 0.7);
  Motion motion;
  motion.start = {random_turn(random), from};
  motion.velocity = 2 * (aim - from);
  motion.centre = from + random.cube(-0.5, 0.5);
  motion.rotation = random.cube(-1, 1).normalized() * (turns * 2 * pi);
  return motion;
}

Shot any_shot(Random& random, double turns) {
  const generate::SurfaceModel a = small_model(random), b = small_model(random);
  const Motion motion_a = random_motion(random, 3, turns),
               motion_b = random_motion(random, 0.5, turns);
  return {a, b, motion_a, motion_b};
}

// Returns boxes on a lattice that rest or move along the axes: parallel faces, contact at the
// start, coplanar sliding.
Shot lattice_shot(Random& random) {
  const auto cube_at = [&](const Vec3& at, const Vec3& way) {
    Motion motion = translation({Eigen::Quaterniond::Identity(), at}, way);
    if (random.one_in(3)) motion.rotation[random.integer(0, 2)] = random.integer(-2, 2) * pi / 2;
    return motion;
  };
  const Vec3 at = random.lattice(3), way = random.lattice(4), other_way = random.lattice(1);
  return {generate::box({1, 1, 1}),
          random.one_in(2) ? generate::box({1, 1, 1}) : generate::l_shape(), cube_at(at, way),
          cube_at(Vec3::Zero(), random.one_in(2) ? other_way : Vec3::Zero())};
}

// Returns two parallel faces, `gap` apart, one of which slides and turns in its plane.
Shot flush_shot(Random& random) {
  const double gap = std::pow(10.0, random.integer(-12, -1));
  Motion motion =
      translation({Eigen::Quaterniond::Identity(), {-3, random.uniform(-1, 1), 2 + gap}},
                  {6, random.uniform(-1, 1), random.one_in(2) ? 0 : -gap});
  if (random.one_in(2)) motion.rotation = {0, 0, random.uniform(-6, 6)};
  return {generate::box({1, 1, 1}), generate::box({1, 1, 1}), motion, resting({})};
}

// Returns a board a hundredth as thick as its path in the step is long.
Shot board_shot(Random& random) {
  const generate::SurfaceModel other = small_model(random);
  Motion motion = random_motion(random, 2, random.uniform(0, 1));
  motion.start.translation += random.cube(-1.5, 1.5);
  return {generate::box({1, 1, 0.01}), other, motion, resting({random_turn(random), Vec3::Zero()})};
}

Shot scaled_shot(Random& random, double factor) {
  Shot shot = any_shot(random, random.uniform(0, 0.5));
  shot.a = scaled(shot.a, factor);
  shot.b = scaled(shot.b, factor);
  for (Motion* motion : {&shot.motion_a, &shot.motion_b}) {
    motion->start.translation *= factor;
    motion->centre *= factor;
    motion->velocity *= factor;
  }
  return shot;
}

// Returns two boxes with nearly parallel faces that move into each other.
Shot nearly_parallel_shot(Random& random) {
  const double tilt = std::pow(10.0, random.integer(-15, -3));
  Motion motion =
      translation(Pose::from_axis_angle(random.cube(-1, 1), tilt,
                                        {random.uniform(-2, 2), random.uniform(-2, 2), 4}),
                  {random.uniform(-1, 1), random.uniform(-1, 1), -3});
  motion.rotation = random.cube(-tilt, tilt);
  return {generate::box({1, 1, 1}), generate::box({1, 1, 1}), motion, resting({})};
}

struct Family {
  const char* name;
  std::size_t count;
  Shot (*draw)(Random&);
  double hits_lo, hits_hi;  // bounds on the share of contacts
  double given_up = 0.02;   // the largest share that may exceed the budget of the judge
};

const Family families[] = {
    {"any shot", 100, [](Random& r) { return any_shot(r, r.uniform(0, 0.5)); }, 0.3, 0.9},
    {"full turns", 50, [](Random& r) { return any_shot(r, 1); }, 0.3, 0.95},
    {"translations", 100, [](Random& r) { return any_shot(r, 0); }, 0.3, 0.98},
    {"lattice", 100, lattice_shot, 0.3, 0.9},
    {"flush", 20, flush_shot, 0.2, 0.9, 0.6},
    {"thin boards", 50, board_shot, 0.3, 1},
    {"a thousandth", 60, [](Random& r) { return scaled_shot(r, 1e-3); }, 0.3, 0.98},
    {"a thousandfold", 60, [](Random& r) { return scaled_shot(r, 1e3); }, 0.3, 0.98},
    {"nearly parallel", 60, nearly_parallel_shot, 0.3, 0.95},
};

TEST(Advance, Promises1To3NeverLateNeverMissedAndWithinTheThreshold) {
  for (const Family& family : families) {
    SCOPED_TRACE(family.name);
    std::map<Verdict, std::size_t> verdicts;
    std::size_t at_zero = 0, given_up = 0;
    const std::size_t count = test::scaled(family.count);
    for (std::size_t i = 0; i < count; ++i) {
      SCOPED_TRACE(i);
      Random random(family.name, 0, 1, i);
      const Shot shot = family.draw(random);
      AdvanceOptions options;
      options.smallest_threshold = random.one_in(4);
      const BodyImpact result = shot.advanced(options);
      const Impact& impact = result.impact;
      ++verdicts[impact.verdict];
      at_zero += impact.toi == 0;
      test::RigidCheck check = shot.check();
      const double size = std::max(shot.body_a().size(), shot.body_b().size());
      ASSERT_NE(impact.verdict, Verdict::invalid);
      // Just before the contact the judge cannot distinguish the distance from 0.
      const double until = impact.toi <= 1 ? std::max(0.0, impact.toi - 1e-9) : 1;
      const double proven = until > 0 ? check.free_until(until, 1e-12, 100'000) : 0;
      if (proven == 0 && until > 0)
        ++given_up;
      else
        ASSERT_EQ(proven, until);
      if (impact.verdict == Verdict::contact) {
        const double threshold = options.smallest_threshold ? 1e-10 * size : 1e-3 * size;
        ASSERT_LE(check.distance_hi(impact.toi), threshold * (1 + 1e-9));
        ASSERT_NEAR(impact.normal.norm(), 1, 1e-12);
        ASSERT_NEAR((result.point_a - result.point_b).norm(), result.distance, 1e-12 * size);
      }
    }
    const double hits = double(verdicts[Verdict::contact]) / double(count);
    if (test::scale() < 1) continue;  // few queries need not meet every case
    EXPECT_GE(hits, family.hits_lo);
    EXPECT_LE(hits, family.hits_hi);
    EXPECT_LE(double(verdicts[Verdict::undecided]), 0.01 * double(count));
    EXPECT_LE(double(given_up), family.given_up * double(count)) << "by the judge";
    RecordProperty(family.name,
                   std::to_string(hits) + " hits, " + std::to_string(at_zero) + " at 0");
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
}

// The judge above gives up on small gaps, but the gap of flush faces is known where all motion is
// along the faces.
TEST(Advance, FlushFacesAreSeparatedWhileTheirGapLasts) {
  std::size_t separated = 0;
  const std::size_t count = test::scaled(200);
  for (std::size_t i = 0; i < count; ++i) {
    Random random("flush", 0, 2, i);
    const Shot shot = flush_shot(random);
    const double gap = shot.motion_a.start.translation[2] - 2;  // exact
    ASSERT_GT(gap, 0);
    if (shot.motion_a.velocity[2] < 0) continue;
    const BodyImpact result = shot.advanced({.threshold = gap / 4});
    if (result.impact.verdict == Verdict::undecided) {
      ASSERT_LT(gap, 1e-10);  // a quarter of the gap is below the error of positions
      continue;
    }
    ASSERT_EQ(result.impact.verdict, Verdict::separated) << gap;
    ++separated;
  }
  if (test::scale() < 1) return;
  EXPECT_GT(separated, 50u);
}

TEST(Advance, Promise3AContactAtTheStartIsContactAtZero) {
  const generate::SurfaceModel cube = generate::box({1, 1, 1});
  const Body body = make_body(cube.vertices, cube.faces);
  for (const Vec3& at : {Vec3(0.5, 0.3, 0.2), Vec3(2, 0, 0), Vec3(2, 2, 2), Vec3(0, 0, 0),
                         Vec3(1, 1, 1), Vec3(2, 0.5, 0)}) {
    const Motion away = translation({Eigen::Quaterniond::Identity(), at}, {5, 0, 0});
    for (const bool exact : {false, true}) {
      AdvanceOptions options;
      options.smallest_threshold = exact;
      const BodyImpact result = advance(body, away, body, resting({}), options);
      EXPECT_EQ(result.impact.verdict, Verdict::contact) << at.transpose();
      EXPECT_EQ(result.impact.toi, 0);
    }
  }
}

TEST(Advance, Promise4TheSameBitsOnEveryThreadAndInAnyFloatEnvironment) {
  const generate::SurfaceModel knot = generate::torus_knot(60, 8);
  const Body body = make_body(knot.vertices, knot.faces);
  std::vector<Motion> motions;
  for (std::uint64_t i = 0; i < 10; ++i) {
    Random random("threads", 0, 1, i);
    motions.push_back(random_motion(random, 6, 0.3));
  }
  const auto answers = [&] {
    std::vector<double> out;
    for (const Motion& motion : motions) {
      const BodyImpact result = advance(body, motion, body, resting({}));
      out.insert(out.end(), {result.impact.toi, result.distance, result.point_a[0],
                             double(result.impact.checks), double(result.face_a)});
    }
    return out;
  };
  const auto bits = [](const std::vector<double>& v) {
    std::vector<std::uint64_t> out;
    for (const double x : v) out.push_back(std::bit_cast<std::uint64_t>(x));
    return out;
  };
  const auto expected = bits(answers());
  std::vector<std::vector<double>> found(4);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < found.size(); ++i)
    threads.emplace_back([&, i] {
      if (i == 1) _mm_setcsr(_mm_getcsr() | 0x8040);  // flush to zero
      if (i == 2) _mm_setcsr(_mm_getcsr() | 0x6000);  // round towards zero
      found[i] = answers();
    });
  for (std::thread& thread : threads) thread.join();
  for (const auto& each : found) EXPECT_EQ(bits(each), expected);
}

TEST(Advance, ABodyThatHoversOverAnotherIsSeparatedInOneTest) {
  const generate::SurfaceModel cube = generate::box({1, 1, 1});
  const Body body = make_body(cube.vertices, cube.faces);
  Motion motion = translation({Eigen::Quaterniond::Identity(), {-50, 0, 2.01}}, {100, 0, 0});
  motion.rotation = {0, 0, 3};
  const BodyImpact result = advance(body, motion, body, resting({}));
  EXPECT_EQ(result.impact.verdict, Verdict::separated);
  EXPECT_EQ(result.impact.checks, 1u);  // the roots, over the whole step
}

// The polytopes of the roots reach beyond the rings; the boxes do not.
TEST(Advance, ARingThatHoversOverAnotherIsSeparatedInOneTestAtAnyDistance) {
  const generate::SurfaceModel ring = generate::ring(40, 20);
  const Body body = make_body(ring.vertices, ring.faces);
  double top = 0;
  for (const Vec3& v : ring.vertices) top = std::max(top, v[2]);
  const Pose tilt = Pose::from_axis_angle({1, 2, 3}, 0.7, {1, -2, 0.5});
  for (const double gap : {1e-1, 1e-3, 1e-9, -1e-3}) {
    SCOPED_TRACE(gap);
    const Vec3 from = tilt.rotation * Vec3(-2, 0.1, 2 * top + gap) + tilt.translation;
    Motion motion = translation({tilt.rotation, from}, tilt.rotation * Vec3(4, 0, 0));
    motion.centre = from;
    motion.rotation = tilt.rotation * Vec3(0, 0, 2);
    const BodyImpact result =
        advance(body, motion, body, resting(tilt), {.threshold = std::abs(gap) / 4});
    if (gap < 0) {
      EXPECT_EQ(result.impact.verdict, Verdict::contact);
      continue;
    }
    EXPECT_EQ(result.impact.verdict, Verdict::separated);
    EXPECT_EQ(result.impact.checks, 1u);
    EXPECT_EQ(result.threshold, gap / 4);
  }
  // Margin and radii count.
  const Motion over =
      translation({Eigen::Quaterniond::Identity(), {-2, 0, 2 * top + 0.1}}, {4, 0, 0});
  EXPECT_EQ(
      advance(body, over, body, resting({}), {.threshold = 0.01, .margin = 0.09}).impact.verdict,
      Verdict::separated);
  EXPECT_EQ(
      advance(body, over, body, resting({}), {.threshold = 0.01, .margin = 0.11}).impact.verdict,
      Verdict::contact);
}

// The gap lies along no axis of the coordinates of the bodies, but along a principal axis of both.
TEST(Advance, ARingThatIsTiltedInItsFileIsSeparatedInOneTestAtAnyDistance) {
  for (const double angle : {0.3, 0.7, 1.1}) {
    generate::SurfaceModel ring = generate::ring(100, 50);
    double top = 0;
    for (const Vec3& v : ring.vertices) top = std::max(top, v[2]);
    const Eigen::Quaterniond tilt = Pose::from_axis_angle({1, 2, 3}, angle, {0, 0, 0}).rotation;
    for (Vec3& v : ring.vertices) v = tilt * v;
    const Body body = make_body(ring.vertices, ring.faces);
    ASSERT_EQ(ring.faces.size(), 10'000u);
    for (const double gap : {1e-1, 1e-2, 1e-3, 1e-4, 1e-9}) {
      SCOPED_TRACE(gap);
      const Vec3 from = tilt * Vec3(-2, 0.1, 2 * top + gap);
      const Motion motion =
          translation({Eigen::Quaterniond::Identity(), from}, tilt * Vec3(4, 0, 0));
      const BodyImpact result = advance(body, motion, body, resting({}), {.threshold = gap / 4});
      EXPECT_EQ(result.impact.verdict, Verdict::separated);
      EXPECT_EQ(result.impact.checks, 1u);
    }
  }
}

// The gap lies along no axis of either body. The rings are close in one place only.
TEST(Advance, RingsThatAreTiltedAgainstEachOtherAreSeparatedInFewTests) {
  const generate::SurfaceModel ring = generate::ring(100, 50);
  const Body body = make_body(ring.vertices, ring.faces);
  const Vec3 up(0, 0, 1), way(0.9578, -0.2873, 0);
  for (const double angle : {0.4, 0.7, 1.1}) {
    const Pose below = Pose::from_axis_angle({2, -1, 0.5}, 0.6, {0, 0, 0});
    Pose above = Pose::from_axis_angle({1, 2, 3}, angle, {0, 0, 0});
    double top = -10, bottom = 10;
    for (const Vec3& v : ring.vertices) {
      top = std::max(top, up.dot(below.rotation * v));
      bottom = std::min(bottom, up.dot(above.rotation * v));
    }
    for (const double gap : {1e-1, 1e-2, 1e-3, 1e-4}) {
      SCOPED_TRACE(gap);
      above.translation = (top - bottom + gap) * up - 2 * way;
      const BodyImpact result =
          advance(body, translation(above, 4 * way), body, resting(below), {.threshold = gap / 4});
      EXPECT_EQ(result.impact.verdict, Verdict::separated);
      EXPECT_GT(result.impact.checks, 1u);
      EXPECT_LE(result.impact.checks, 300u);
    }
  }
}

TEST(Advance, ABodyInsideAnotherIsSeparated) {
  const generate::SurfaceModel outer = generate::box({2, 2, 2}),
                               inner = generate::box({0.1, 0.1, 0.1});
  const BodyImpact result =
      advance(make_body(outer.vertices, outer.faces), resting({}),
              make_body(inner.vertices, inner.faces), translation({}, {1, 1, 1}));
  EXPECT_EQ(result.impact.verdict, Verdict::separated);
}

TEST(Advance, TheMarginIsKept) {
  const generate::SurfaceModel cube = generate::box({1, 1, 1});
  const Body body = make_body(cube.vertices, cube.faces);
  const Motion motion = translation({Eigen::Quaterniond::Identity(), {-5, 0, 0}}, {4, 0, 0});
  AdvanceOptions options;
  options.margin = 0.5;
  options.smallest_threshold = true;
  const BodyImpact result = advance(body, motion, body, resting({}), options);
  EXPECT_EQ(result.impact.verdict, Verdict::contact);
  EXPECT_NEAR(result.impact.toi, 2.5 / 4, 1e-12);
  EXPECT_LE(result.impact.toi, 2.5 / 4);
}

TEST(Advance, TheSmallestThresholdGivesTheTimeUpToTheRoundingOfPositions) {
  const generate::SurfaceModel cube = generate::box({1, 1, 1});
  const Body body = make_body(cube.vertices, cube.faces);
  // A cube rotates about z; its edge at distance sqrt 2 from the axis meets a face of the other.
  Motion motion = rotation_about({}, Vec3::Zero(), {0, 0, pi / 2});
  const double x = 2 + 1.3;
  const BodyImpact result =
      advance(body, motion, body, resting({Eigen::Quaterniond::Identity(), {x - 1, 0, 0}}),
              {.smallest_threshold = true});
  ASSERT_EQ(result.impact.verdict, Verdict::contact);
  const double angle = pi / 4 - std::acos(1.3 / std::sqrt(2.0));
  EXPECT_NEAR(result.impact.toi, angle / (pi / 2), 4e-12);
  EXPECT_LE(result.impact.toi, angle / (pi / 2));
}

// A segment turns about its middle and meets a point, or passes it, in the plane of its rotation up
// to a height. The closed form of the time is the judge.
TEST(Advance, ASegmentThatTurnsOntoAPointIsDecided) {
  const Body point = make_body(std::vector<Vec3>{{0, 0, 0}}, std::vector<Face>{{0, 0, 0}});
  std::map<Verdict, std::size_t> verdicts;
  const std::size_t count = test::scaled(200);
  for (std::size_t i = 0; i < count; ++i) {
    SCOPED_TRACE(i);
    Random random("turning segment", 0, 1, i);
    const double length = std::pow(10.0, random.uniform(-1, 1));
    const Eigen::Quaterniond frame = random_turn(random).normalized();
    const auto in_plane = [&](double radius, double angle, double height) {
      return Vec3(frame * Vec3(radius * std::cos(angle), radius * std::sin(angle), height));
    };
    const Body segment =
        make_body(std::vector<Vec3>{in_plane(length, 0, 0), in_plane(-length, 0, 0)},
                  std::vector<Face>{{0, 1, random.one_in(2) ? 0u : 1u}});
    const double turn = random.uniform(0.5, 40), angle = random.uniform(0.01, 3.1);
    const double height = random.one_in(4) ? length * std::pow(10.0, random.uniform(-6, -1)) : 0;
    const Vec3 at = in_plane(length * random.uniform(0.05, 0.95), angle, height);
    const Vec3 axis = frame * Vec3::UnitZ();
    AdvanceOptions options;
    options.smallest_threshold = random.one_in(2);
    if (!options.smallest_threshold) options.threshold = 1e-9 * length;
    const BodyImpact found = advance(segment, rotation_about({}, Vec3::Zero(), turn * axis), point,
                                     resting({Eigen::Quaterniond::Identity(), at}), options);
    ++verdicts[found.impact.verdict];
    if (height > 0 || angle > turn) {
      ASSERT_EQ(found.impact.verdict, Verdict::separated) << found.impact.checks;
      continue;
    }
    ASSERT_EQ(found.impact.verdict, Verdict::contact) << found.impact.checks;
    ASSERT_LE(found.impact.toi, angle / turn * (1 + 1e-14));
    ASSERT_NEAR(found.impact.toi, angle / turn, 1e-7);
    ASSERT_LE(found.distance, found.threshold);
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(verdicts[Verdict::contact], count / 2);
  EXPECT_GT(verdicts[Verdict::separated], count / 10);
}

// A corner that meets an edge from outside of the triangle: no normal and no cross product of edges
// separates the two.
TEST(Advance, ACornerThatTurnsOntoAnEdgeIsDecided) {
  for (std::size_t i = 0; i < test::scaled(100); ++i) {
    SCOPED_TRACE(i);
    Random random("corner and edge", 0, 1, i);
    const double s = random.uniform(0.1, 0.9), sharp = std::pow(10.0, random.uniform(-6, 0));
    // The triangle lies below its edge y = 0; the other one stands on its corner above the edge.
    const Body below = make_body(std::vector<Vec3>{{-1, 0, 0}, {1, 0, 0}, {0, -1, sharp}},
                                 std::vector<Face>{{0, 1, 2}});
    const Body above = make_body(std::vector<Vec3>{{0, 0, 0}, {sharp, 1, sharp}, {-sharp, 1, 0}},
                                 std::vector<Face>{{0, 1, 2}});
    const double turn = random.uniform(0.5, 3), angle = random.uniform(0.01, 0.4);
    const Vec3 corner(s * std::cos(angle), s * std::sin(angle), 0);
    const Pose start = Pose::from_axis_angle(Vec3::UnitZ(), angle, corner);
    const BodyImpact found = advance(above, rotation_about(start, Vec3::Zero(), {0, 0, -turn}),
                                     below, resting({}), {.smallest_threshold = true});
    ASSERT_EQ(found.impact.verdict, Verdict::contact) << found.impact.checks;
    ASSERT_LE(found.impact.toi, angle / turn * (1 + 1e-14));
    ASSERT_NEAR(found.impact.toi, angle / turn, 1e-9);
  }
}

TEST(Advance, Promise2TheThresholdIsAnAccuracyAndNotADistanceThatIsKept) {
  const generate::SurfaceModel cube = generate::box({1, 1, 1});
  const Body body = make_body(cube.vertices, cube.faces);
  const auto shot = [&](double gap, double way, double threshold) {
    const Motion motion =
        translation({Eigen::Quaterniond::Identity(), {2 + gap, 0, 0}}, {way, 0, 0});
    return advance(body, motion, body, resting({}), {.threshold = threshold});
  };
  EXPECT_EQ(shot(0.0005, 5, 0.001).impact.verdict, Verdict::separated);
  const BodyImpact far = shot(4, -10, 5);
  ASSERT_EQ(far.impact.verdict, Verdict::contact);
  EXPECT_LE(far.impact.toi, 0.4);
  EXPECT_LE(far.distance, 5);
  EXPECT_EQ(far.threshold, 5);
}

// Promises (2), (3) and (5) where positions are rounded by more than the threshold.
TEST(Advance, Promise5RoundingBeyondTheThresholdIsUndecided) {
  const generate::SurfaceModel cube = generate::box({1, 1, 1});
  const Body body = make_body(cube.vertices, cube.faces);
  std::map<Verdict, std::size_t> verdicts;
  for (std::size_t i = 0; i < test::scaled(200); ++i) {
    SCOPED_TRACE(i);
    Random random("offset", 0, 1, i);
    const double offset = std::pow(10.0, random.integer(0, 15));
    const Vec3 at(offset, random.uniform(-1, 1) * offset, 0);
    const bool touching = random.one_in(5);
    const double gap = touching ? 0 : random.uniform(0.1, 5), way = random.uniform(-10, 10);
    const Vec3 from = at + Vec3(2 + gap, 0, 0);  // the true gap is that of the rounded positions
    const Motion motion = translation({Eigen::Quaterniond::Identity(), from}, {way, 0, 0});
    AdvanceOptions options;
    const auto which = static_cast<std::uint32_t>(random.below(3));
    options.smallest_threshold = which == 0;
    if (which == 1) options.threshold = 1e-9;
    const BodyImpact found =
        advance(body, motion, body, resting({Eigen::Quaterniond::Identity(), at}), options);
    ++verdicts[found.impact.verdict];
    const double true_gap = from[0] - at[0] - 2;  // exact: both have the exponent of the offset
    const bool meets = true_gap <= 0 || true_gap + way <= 0;
    ASSERT_LE(found.threshold, 1e-3 * body.size());
    if (found.impact.verdict == Verdict::separated) {
      ASSERT_FALSE(meets);
      continue;
    }
    if (true_gap <= 0) {
      ASSERT_EQ(found.impact.toi, 0);
    }
    if (meets && true_gap > 0) {
      ASSERT_LE(found.impact.toi, true_gap / -way * (1 + 1e-12));
    }
    if (found.impact.verdict == Verdict::contact)
      ASSERT_LE(std::abs(true_gap + found.impact.toi * way), found.threshold * (1 + 1e-9));
    else
      ASSERT_LT(found.impact.checks, options.max_checks);
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(verdicts[Verdict::contact], 20u);
  EXPECT_GT(verdicts[Verdict::separated], 20u);
  EXPECT_GT(verdicts[Verdict::undecided], 20u);
}

TEST(Advance, ASpentBudgetIsUndecidedAndSafe) {
  const generate::SurfaceModel knot = generate::torus_knot(60, 8);
  const Body body = make_body(knot.vertices, knot.faces);
  Random random("budget", 0, 1, 3);
  const Motion motion = random_motion(random, 6, 0.3);
  const double toi = std::min(1.0, advance(body, motion, body, resting({})).impact.toi);
  std::size_t undecided = 0;
  for (const std::uint32_t budget : {1u, 2u, 5u, 20u, 100u, 300u}) {
    const BodyImpact result = advance(body, motion, body, resting({}), {.max_checks = budget});
    undecided += result.impact.verdict == Verdict::undecided;
    EXPECT_LE(result.impact.toi, toi + 1e-2);
  }
  EXPECT_GE(undecided, 3u);
  const BodyImpact unlimited = advance(body, motion, body, resting({}), {.max_checks = 0});
  EXPECT_EQ(std::min(1.0, unlimited.impact.toi), toi);
}

TEST(Advance, Promise5AFlagStopsTheSearchOfEveryMethod) {
  const generate::SurfaceModel knot = generate::torus_knot(30, 5);
  const Body body = make_body(knot.vertices, knot.faces);
  const Motion fall = translation(Pose::from_axis_angle({1, 2, 3}, 1, {0, 0, 5}), {0, 0, -5});
  std::atomic<bool> stop = false;
  for (const AdvanceMethod& method : advance_methods()) {
    const BodyImpact whole = method.advance(body, fall, body, resting({}), {}, nullptr);
    const BodyImpact same = method.advance(body, fall, body, resting({}), {}, &stop);
    EXPECT_EQ(whole.impact.verdict, Verdict::contact) << method.name;
    EXPECT_EQ(same.impact.toi, whole.impact.toi) << method.name;
    stop = true;
    const BodyImpact stopped = method.advance(body, fall, body, resting({}), {}, &stop);
    EXPECT_EQ(stopped.impact.verdict, Verdict::undecided) << method.name;
    EXPECT_LE(stopped.impact.toi, whole.impact.toi) << method.name;
    EXPECT_LT(stopped.impact.checks, whole.impact.checks) << method.name;
    stop = false;
  }
  // A stopped search has proven nothing about the insides of solids.
  const Body solid = make_box({1, 1, 1}), ball = make_sphere(0.1);
  EXPECT_EQ(advance(solid, resting({}), ball, resting({}), {}, {}, &stop).impact.verdict,
            Verdict::contact);
  stop = true;
  for (const Body& other : {ball, make_half_space(), body}) {
    const BodyImpact stopped = advance(solid, resting({}), other, resting({}), {}, {}, &stop);
    EXPECT_EQ(stopped.impact.verdict, Verdict::undecided);
    EXPECT_EQ(stopped.impact.toi, 0);
  }
}

TEST(Advance, NonFiniteInputIsInvalidAndInputThatMayOverflowIsUndecided) {
  const generate::SurfaceModel cube = generate::box({1, 1, 1});
  const Body body = make_body(cube.vertices, cube.faces);
  Motion bad = translation({Eigen::Quaterniond::Identity(), {5, 0, 0}}, {0, 0, 0});
  EXPECT_EQ(advance(body, bad, body, resting({})).impact.verdict, Verdict::separated);
  bad.velocity[1] = 1e305;
  EXPECT_EQ(advance(body, bad, body, resting({})).impact.verdict, Verdict::undecided);
  EXPECT_EQ(advance(body, bad, body, resting({})).impact.toi, 0);
  bad.velocity[1] = std::nan("");
  EXPECT_EQ(advance(body, bad, body, resting({})).impact.verdict, Verdict::invalid);
  bad = {};
  bad.start.rotation.coeffs().setZero();
  EXPECT_EQ(advance(body, bad, body, resting({})).impact.verdict, Verdict::invalid);
  EXPECT_EQ(advance(Body(), resting({}), body, resting({})).impact.verdict, Verdict::invalid);
  EXPECT_EQ(advance(body, resting({}), body, resting({}), {.t_max = 2}).impact.verdict,
            Verdict::invalid);
}

}  // namespace
}  // namespace graze::rigid::advance_test
