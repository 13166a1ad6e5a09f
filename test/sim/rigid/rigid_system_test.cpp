#include "graze/sim/rigid/rigid_system.h"

#include <gtest/gtest.h>

#include <cmath>

#include "graze/generate/models.h"
#include "graze/sim/rigid/rigid_scenes.h"

namespace graze {
namespace {

RigidShape shape_of(const SurfaceModel& model) {
  return make_rigid_shape(model.vertices, model.faces);
}

double energy(const RigidSystem& system) {
  return kinetic_energy(system) + potential_energy(system);
}

TEST(RigidSystem, LetsABodyFallFreely) {
  RigidSystem system = falling_pile(shape_of(tetrahedron()), 1, 1);
  system.bodies[1].pose.translation[2] = 100;
  for (int i = 0; i < 100; ++i) advance_by(system, 0.01);
  const double g = system.gravity.norm();
  EXPECT_NEAR(system.bodies[1].velocity[2], -g, 1e-9 * g);
  EXPECT_NEAR(system.bodies[1].pose.translation[2], 100 - g * (0.5 + 0.005), 1e-9 * g);
}

TEST(RigidSystem, KeepsAngularMomentumOfATumblingBodyAndGivesItNoEnergy) {
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
  double last = kinetic_energy(system);
  for (int i = 0; i < 300; ++i) {
    advance_by(system, 0.001);
    ASSERT_LE(kinetic_energy(system), last * (1 + 1e-12));
    last = kinetic_energy(system);
  }
  EXPECT_TRUE(momentum().isApprox(before, 2e-3));
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
    double lowest = energy(system);
    const double before = lowest;
    for (int i = 0; i < 360; ++i) {
      advance_by(system, 1.0 / 120);
      ASSERT_FALSE(find_penetration(system)) << i;
      ASSERT_LT(energy(system), lowest + 1e-3 * before) << i;
      lowest = std::min(lowest, energy(system));
    }
    const double size = system.shapes[1].radius;
    for (const RigidBody& body : system.bodies) {
      EXPECT_LT(body.velocity.norm(), 2 * size);
      EXPECT_GT(body.pose.translation[2], -0.51 * size);
    }
  }
}

// Three rods, the first of them hung up, swing as a chain.
TEST(RigidSystem, HoldsAChainTogetherThatSwings) {
  RigidSystem system;
  system.shapes = {make_box_shape({0.05, 0.05, 0.05}), make_box_shape({0.4, 0.05, 0.05})};
  system.bodies.resize(4);
  system.bodies[0].fixed = true;
  for (std::uint32_t i = 1; i < 4; ++i) {
    system.bodies[i].shape = 1;
    system.bodies[i].pose.translation = {i - 0.5, 0, 0};
    const Vec3 end = {0.5, 0, 0};
    system.joints.push_back({i - 1, i, i == 1 ? Vec3(Vec3::Zero()) : end, -end});
  }
  const double before = energy(system);
  double lowest = 0;
  for (int i = 0; i < 150; ++i) {
    advance_by(system, 1.0 / 30);
    ASSERT_FALSE(find_penetration(system)) << i;
    ASSERT_LT(joint_error(system), 1e-3) << i;
    ASSERT_LT(energy(system), before + 0.05 * std::abs(before - potential_energy(system))) << i;
    lowest = std::min(lowest, system.bodies[3].pose.translation[2]);
  }
  EXPECT_LT(lowest, -2);
}

TEST(RigidSystem, ATinyStepThrowsNothingThatIsTooNear) {
  RigidSystem system = falling_pile(shape_of(box({0.5, 0.5, 0.5})), 1, 1);
  RigidBody& body = system.bodies[1];
  body.pose = {Eigen::Quaterniond::Identity(), {0, 0, 0.5 + 0.01 * system.gap}};
  advance_by(system, 1e-8);
  EXPECT_FALSE(find_penetration(system));
  EXPECT_LE(body.velocity.norm(), 1.01 * std::sqrt(system.gravity.norm() * system.gap));
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
