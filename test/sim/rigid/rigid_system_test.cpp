#include "graze/sim/rigid/rigid_system.h"

#include <gtest/gtest.h>

#include "graze/generate/models.h"
#include "graze/sim/rigid/contact_solver.h"

namespace graze {
namespace {

RigidShape shape_of(const SurfaceModel& model) {
  return make_rigid_shape(model.vertices, model.faces);
}

double energy(const RigidSystem& system) {
  double sum = 0;
  for (const RigidBody& body : system.bodies) {
    if (body.fixed) continue;
    const RigidShape& shape = system.shapes[body.shape];
    const Eigen::Matrix3d r = body.pose.rotation.normalized().toRotationMatrix();
    sum += shape.mass * body.velocity.squaredNorm() / 2 +
           body.spin.dot(r * shape.inertia * r.transpose() * body.spin) / 2 -
           shape.mass * system.gravity.dot(body.pose.translation);
  }
  return sum;
}

TEST(RigidSystem, LetsABodyFallFreely) {
  RigidSystem system = falling_pile(shape_of(tetrahedron()), 1, 1);
  system.bodies[1].pose.translation[2] = 100;
  for (int i = 0; i < 100; ++i) advance_by(system, 0.01);
  const double g = system.gravity.norm();
  EXPECT_NEAR(system.bodies[1].velocity[2], -g, 1e-9 * g);
  EXPECT_NEAR(system.bodies[1].pose.translation[2], 100 - g * (0.5 + 0.005), 1e-9 * g);
}

TEST(RigidSystem, KeepsAngularMomentumOfATumblingBody) {
  RigidSystem system = falling_pile(shape_of(l_shape()), 1, 1);
  system.gravity = Vec3::Zero();
  RigidBody& body = system.bodies[1];
  body.pose.translation[2] = 10;
  body.spin = {1, 2, 3};
  const auto momentum = [&] {
    const Eigen::Matrix3d r = body.pose.rotation.normalized().toRotationMatrix();
    return Vec3(r * system.shapes[1].inertia * r.transpose() * body.spin);
  };
  const Vec3 before = momentum();
  for (int i = 0; i < 100; ++i) advance_by(system, 0.01);
  EXPECT_TRUE(momentum().isApprox(before, 1e-12));
}

TEST(RigidSystem, BouncesAsTheRestitutionSays) {
  // A cube that falls flat is reflected at the restitution.
  RigidSystem system = falling_pile(shape_of(box({0.5, 0.5, 0.5})), 1, 1);
  RigidBody& body = system.bodies[1];
  body.pose = {Eigen::Quaterniond::Identity(), {0, 0, 0.51}};
  system.gravity = {0, 0, -1e-3};
  system.restitution = 0.5;
  body.velocity = {0, 0, -1};
  advance_by(system, 0.02);
  advance_by(system, 0.02);
  EXPECT_NEAR(body.velocity[2], 0.5, 0.01);
  EXPECT_LT(body.spin.norm(), 1e-6);
}

TEST(RigidSystem, BringsAPileToRestWithoutPenetrationOrEnergyFromNowhere) {
  for (const SurfaceModel& model : {box({0.5, 0.5, 0.5}), l_shape(), ring(16, 8)}) {
    RigidSystem system = falling_pile(shape_of(model), 3, 1);
    const double before = energy(system);
    double time = 0;
    for (int i = 0; i < 360; ++i) {
      const RigidStep step = advance_by(system, 1.0 / 120);
      ASSERT_GT(step.seconds, 0);
      time += step.seconds;
      ASSERT_FALSE(find_penetration(system)) << i;
      ASSERT_LT(energy(system), before * 1.01 + 1e-9) << i;
    }
    EXPECT_GT(time, 2.5);
    const double size = system.shapes[1].radius;
    for (const RigidBody& body : system.bodies) {
      EXPECT_LT(body.velocity.norm(), 2 * size);
      EXPECT_GT(body.pose.translation[2], -0.51 * size);
    }
  }
}

TEST(RigidSystem, FindsPenetrationWhereThereIsOne) {
  RigidSystem system = falling_pile(shape_of(tetrahedron()), 2, 1);
  EXPECT_FALSE(find_penetration(system));
  system.bodies[2].pose = system.bodies[1].pose;
  system.bodies[2].pose.translation[0] += 0.1;
  const auto found = find_penetration(system);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->a, 1u);
  EXPECT_EQ(found->b, 2u);
}

TEST(RigidSystem, GivesTheSameBitsAgain) {
  const auto run = [] {
    RigidSystem system = falling_pile(shape_of(l_shape()), 2, 5);
    for (int i = 0; i < 60; ++i) advance_by(system, 1.0 / 60);
    return system.bodies[2].pose;
  };
  const Pose first = run(), second = run();
  EXPECT_EQ(first.translation, second.translation);
  EXPECT_EQ(first.rotation.coeffs(), second.rotation.coeffs());
}

}  // namespace
}  // namespace graze
