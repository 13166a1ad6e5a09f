#include "graze/rigid/motion/motion_bound.h"

#include <gtest/gtest.h>

#include <numbers>

#include "graze/generate/random.h"
#include "test/support/scale.h"

namespace graze::rigid::motion_bound_test {
namespace {

using generate::Random;

// The counterexample to [Zhang 2006] Eq. 5: the formula gives 0, yet the point travels 1 along n.
TEST(MotionBound, CoversThePointThatEquation5Misses) {
  const Motion motion = rotation_about({}, Vec3::Zero(), {0, 0, std::numbers::pi / 2});
  const Vec3 n(1, 0, 0), r(-1, 0, 0);
  const MotionBound bound(motion, 1);
  const double travelled = n.dot(placement_at(motion, 1) * r - placement_at(motion, 0) * r);
  EXPECT_NEAR(travelled, 1, 1e-15);
  EXPECT_EQ(n.cross(motion.rotation).dot(r), 0);
  EXPECT_GE(bound.directed(n, bound.axis_distance(r, 0)), travelled);
  EXPECT_NEAR(bound.directed(n, bound.axis_distance(r, 0)), std::numbers::pi / 2, 1e-9);
}

TEST(MotionBound, NoPointOfABallMovesFartherOrCurvesMoreThanTheBounds) {
  double closest_directed = 0, closest_axis = 0;
  for (std::size_t i = 0; i < test::scaled(2000); ++i) {
    Random random("bounds", 0, 1, i);
    Motion motion;
    motion.start.translation = random.cube(-2, 2);
    motion.centre = random.cube(-2, 2);
    motion.velocity = random.cube(-2, 2);
    motion.rotation = random.cube(-6, 6);
    const MotionBound bound(motion, 4);
    const Vec3 centre = random.cube(-1, 1), offset = random.cube(-0.5, 0.5);
    const double rho = bound.axis_distance(centre, offset.norm());
    const Vec3 x = centre + offset, n = random.cube(-1, 1).normalized();
    const double t0 = random.uniform(), t1 = random.uniform();
    const Vec3 p0 = placement_at(motion, t0) * x, p1 = placement_at(motion, t1) * x;
    const double time = std::abs(t1 - t0);
    const double along = std::abs(n.dot(p1 - p0));
    const double limit = (std::abs(n.dot(motion.velocity)) + bound.directed(n, rho)) * time + 1e-13;
    EXPECT_LE(along, limit);
    const Vec3 from_axis = p0 - motion.centre - t0 * motion.velocity;
    const double distance = from_axis.cross(motion.rotation.normalized()).norm();
    EXPECT_LE(distance, rho);
    // The distance of the middle from the chord is bounded by the curvature.
    const Vec3 middle = placement_at(motion, (t0 + t1) / 2) * x;
    EXPECT_LE(std::abs(n.dot(middle - (p0 + p1) / 2)),
              bound.curvature(n, rho) * time * time / 8 + 1e-13);
    closest_directed = std::max(closest_directed, along / limit);
    closest_axis = std::max(closest_axis, distance / rho);
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GE(closest_directed, 0.8);
  EXPECT_GE(closest_axis, 0.9);
}

TEST(MotionBound, AGapLastsUpToTheFirstZeroOfTheParabola) {
  std::size_t all = 0, part = 0;
  for (std::size_t i = 0; i < test::scaled(20000); ++i) {
    Random random("gaps", 0, 1, i);
    const double scale = std::ldexp(1.0, random.integer(-60, 60));
    const double s0 = random.uniform(0, 1) * scale, s1 = random.uniform(-1, 1) * scale;
    const double curvature = random.one_in(4) ? 0 : random.uniform(0, 10) * scale;
    const double duration = random.uniform(0, 1);
    const double lasts = gap_lasts(s0, s1, curvature, duration);
    const auto g = [&](double x) {
      return (1 - x) * s0 + x * s1 - curvature * duration * duration / 2 * x * (1 - x);
    };
    ASSERT_GE(lasts, 0);
    ASSERT_LE(lasts, 1);
    for (int k = 0; k < 32; ++k) ASSERT_GT(g(lasts * k / 32), -1e-12 * scale);
    if (lasts < 1) {
      ASSERT_LE(g(lasts), 1e-4 * scale);
      ++part;
    } else {
      for (int k = 0; k <= 32; ++k) ASSERT_GT(g(k / 32.0), 0);
      ++all;
    }
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GE(all, test::scaled(20000) / 10);
  EXPECT_GE(part, test::scaled(20000) / 10);
}

TEST(MotionBound, AGapThatIsNotPositiveOrNotFiniteProvesNothing) {
  const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(gap_lasts(0, 1, 0, 1), 0);
  EXPECT_EQ(gap_lasts(-1, 1, 0, 1), 0);
  EXPECT_EQ(gap_lasts(nan, 1, 0, 1), 0);
  EXPECT_EQ(gap_lasts(1, nan, 0, 1), 0);
  EXPECT_EQ(gap_lasts(1, 1, nan, 1), 0);
  EXPECT_EQ(gap_lasts(1, 1, inf, 1), 0);
  EXPECT_EQ(gap_lasts(1e-300, 1e-300, 1, 1), 0);
  EXPECT_EQ(gap_lasts(1, 1, 1, 1), 1);
  EXPECT_EQ(time_at(0.25, 0.5, 0), 0.25);
  EXPECT_EQ(time_at(0.25, 0.5, 1), 0.5);
  EXPECT_LT(time_at(0.25, 0.5, std::nextafter(1.0, 0.0)), 0.5);
}

}  // namespace
}  // namespace graze::rigid::motion_bound_test
