#include "test/support/rigid_check.h"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <numbers>

#include "graze/generate/models.h"
#include "graze/generate/random.h"

namespace graze::rigid::rigid_check_test {
namespace {

using std::numbers::pi;
using test::RigidCheck;

RigidCheck check(const generate::SurfaceModel& a, const Motion& motion_a,
                 const generate::SurfaceModel& b, const Motion& motion_b) {
  return RigidCheck(a.vertices, a.faces, motion_a, b.vertices, b.faces, motion_b);
}

Motion moving(const Vec3& from, const Vec3& way, const Vec3& turning = Vec3::Zero()) {
  Motion motion;
  motion.start.translation = motion.centre = from;
  motion.velocity = way;
  motion.rotation = turning;
  return motion;
}

// Returns p(t) in 50 digits.
using Real = boost::multiprecision::cpp_bin_float_50;
std::array<Real, 3> place(const Motion& motion, double t, const Vec3& x) {
  const auto rotate = [](const std::array<Real, 4>& q, const std::array<Real, 3>& v) {
    const Real n = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    // v + 2 u x (u x v + w v), u and w over the length
    const auto cross = [](const auto& a, const auto& b) {
      return std::array<Real, 3>{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                                 a[0] * b[1] - a[1] * b[0]};
    };
    const std::array<Real, 3> u = {q[1], q[2], q[3]};
    auto inner = cross(u, v);
    for (std::size_t i = 0; i < 3; ++i) inner[i] += q[0] * v[i];
    const auto outer = cross(u, inner);
    return std::array<Real, 3>{v[0] + 2 * outer[0] / n, v[1] + 2 * outer[1] / n,
                               v[2] + 2 * outer[2] / n};
  };
  const auto& q = motion.start.rotation;
  auto r = rotate({q.w(), q.x(), q.y(), q.z()}, {x[0], x[1], x[2]});
  Real angle = 0;
  for (int i = 0; i < 3; ++i) {
    r[std::size_t(i)] += Real(motion.start.translation[i]) - Real(motion.centre[i]);
    angle += Real(motion.rotation[i]) * motion.rotation[i];
  }
  angle = sqrt(angle);
  if (angle > 0) {
    const Real half = Real(t) * angle / 2, s = sin(half) / angle;
    const Vec3& w = motion.rotation;
    r = rotate({cos(half), s * w[0], s * w[1], s * w[2]}, r);
  }
  for (int i = 0; i < 3; ++i)
    r[std::size_t(i)] += Real(motion.centre[i]) + Real(t) * motion.velocity[i];
  return r;
}

TEST(RigidCheck, EnclosesThePoseOfEveryMotion) {
  for (std::uint64_t i = 0; i < 300; ++i) {
    generate::Random random("poses", 0, 1, i);
    const double scale = std::pow(10.0, random.integer(-3, 3));
    Motion motion;
    motion.start.rotation.coeffs() << random.cube(-1, 1), random.uniform(-1, 1);
    motion.start.translation = scale * random.cube(-1, 1);
    motion.centre = scale * random.cube(-1, 1);
    motion.velocity = scale * random.cube(-1, 1);
    motion.rotation = random.cube(-1, 1) * std::pow(10.0, random.integer(-9, 1));
    const Vec3 x = scale * random.cube(-1, 1);
    const double t = random.one_in(5) ? 1 : random.uniform();
    const auto pose = test::rigid_check::pose_at(motion, t, x.norm());
    const Vec3 computed = pose(x);
    const auto exact = place(motion, t, x);
    Real off_sq = 0;
    for (std::size_t k = 0; k < 3; ++k) off_sq += pow(exact[k] - computed[int(k)], 2);
    EXPECT_LE(sqrt(off_sq), pose.err);
    EXPECT_LT(pose.err, 1e-11 * scale);
  }
}

TEST(RigidCheck, ProvesAFallFreeUpToTheImpactAndNoFurther) {
  // The cube's lower side is at 1.5 - 0.5 - 2 t, the board's upper side at 0.02.
  RigidCheck fall = check(generate::box({0.5, 0.5, 0.5}), moving({0.1, 0.2, 1.5}, {0, 0, -2}),
                          generate::box({2, 2, 0.02}), Motion());
  EXPECT_EQ(fall.free_until(0.489), 0.489);
  EXPECT_NEAR(fall.free_until(1), 0.49, 1e-9);
  EXPECT_LT(fall.free_until(1), 0.49);
  EXPECT_NEAR(fall.distance_hi(0.25), 0.48, 1e-12);
  EXPECT_NEAR(fall.distance_hi(0.49), 0, 1e-12);
}

TEST(RigidCheck, FindsABodyThatPassesThroughAThinBoardInOneStep) {
  RigidCheck shot = check(generate::tetrahedron(), moving({0, 0, 50}, {0, 0, -100}),
                          generate::box({2, 2, 1e-4}), Motion());
  EXPECT_NEAR(shot.free_until(1), 0.494999, 1e-9);
}

TEST(RigidCheck, FollowsRotation) {
  // A thin bar along x from 0 to 1 turns about z by `angle` towards a board that stands at 45
  // degrees. For an angle of pi/2 this is a case that Eq. 5 of [Zhang 2006] misses.
  generate::SurfaceModel bar = generate::box({0.5, 1e-6, 0.1});
  for (Vec3& vertex : bar.vertices) vertex[0] += 0.5;
  Motion wall;
  wall.start.translation = {1 / std::numbers::sqrt2, 1 / std::numbers::sqrt2, 0};
  for (const double angle : {pi / 2, 2 * pi, 7 * pi}) {
    RigidCheck turn = check(bar, moving({0, 0, 0}, {0, 0, 0}, {0, 0, angle}),
                            generate::box({1e-5, 1e-5, 1}), wall);
    EXPECT_NEAR(turn.free_until(1, 1e-7), pi / 4 / angle, 1e-4) << angle;
    EXPECT_EQ(turn.free_until(0.99 * pi / 4 / angle), 0.99 * pi / 4 / angle);
  }
  RigidCheck away =
      check(bar, moving({0, 0, 0}, {0, 0, 0}, {0, 0, -pi}), generate::box({1e-5, 1e-5, 1}), wall);
  EXPECT_EQ(away.free_until(1), 1);
}

TEST(RigidCheck, FindsContactAtTheStart) {
  RigidCheck inside =
      check(generate::tetrahedron(), Motion(), generate::box({0.4, 0.4, 0.4}), Motion());
  EXPECT_EQ(inside.free_until(1), 0);
  EXPECT_LT(inside.distance_hi(0), 1e-12);
  // Surfaces have no inside.
  RigidCheck within = check(generate::tetrahedron(), Motion(), generate::box({2, 2, 2}), Motion());
  EXPECT_EQ(within.free_until(1), 1);
}

TEST(RigidCheck, MeasuresTrianglesFromBothSides) {
  std::size_t crossing = 0;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    generate::Random random("gaps", 0, 1, i);
    test::Triangle a, b;
    const bool lattice = random.one_in(3);
    for (auto* triangle : {&a, &b})
      for (Vec3& corner : *triangle) corner = lattice ? random.lattice(2) : random.cube(-1, 1);
    const test::Gap gap = test::triangle_gap(a, b);
    ASSERT_LE(gap.lower, gap.upper);
    if (gap.upper > 1e-9) {
      ASSERT_NEAR(gap.lower, gap.upper, 1e-9) << i;
    }
    crossing += gap.upper <= 1e-9;
    // No sampled pair of points is closer than the lower bound.
    for (int k = 0; k < 20; ++k) {
      const auto point = [&](const test::Triangle& t) {
        double u = random.uniform(), v = random.uniform();
        if (u + v > 1) u = 1 - u, v = 1 - v;
        return Vec3(t[0] + u * (t[1] - t[0]) + v * (t[2] - t[0]));
      };
      const Vec3 x = point(a), y = point(b);
      ASSERT_GE((x - y).norm(), gap.lower - 1e-12);
    }
  }
  EXPECT_GT(crossing, 1000u);
}

}  // namespace
}  // namespace graze::rigid::rigid_check_test
