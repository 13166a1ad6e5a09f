#include "graze/sim/rigid/rigid_scenes.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace graze {
namespace {

double energy(const RigidSystem& system) {
  return kinetic_energy(system) + potential_energy(system);
}

// Runs and asserts what the scenes promise; `before_step` may change the system, what that adds to
// the energy does not count.
struct Watch {
  RigidSystem& system;
  double lowest = energy(system), growth = 0, injected = 0;

  template <class Change>
  void steps(int count, double seconds, const Change& before_step) {
    for (int i = 0; i < count; ++i) {
      const double before = energy(system);
      before_step(i);
      injected += energy(system) - before;
      lowest += energy(system) - before;
      advance_by(system, seconds);
      ASSERT_FALSE(find_penetration(system)) << i;
      growth = std::max(growth, energy(system) - lowest);
      lowest = std::min(lowest, energy(system));
    }
  }
};

TEST(RigidScenes, NoBrickSinksIntoAnotherAtAnyRate) {
  for (const int hertz : {30, 60, 120, 240}) {
    SCOPED_TRACE(hertz);
    RigidSystem system = brick_wall(24, 2);
    const RigidSystem standing = system;
    Watch run{system};
    run.steps(hertz * 3 / 2, 1.0 / hertz, [&](int i) {
      if (i == hertz / 4) {
        ASSERT_TRUE(shoot(system, 0));
      }
      if (i == hertz) {
        ASSERT_TRUE(shoot(system, 1));
      }
    });
    if (HasFatalFailure()) return;
    EXPECT_GT(run.injected, 1000);
    EXPECT_LT(run.growth, 1e-3 * run.injected);
    std::size_t moved = 0;
    for (std::size_t i = 1; i < 25; ++i)
      moved +=
          (system.bodies[i].pose.translation - standing.bodies[i].pose.translation).norm() > 0.1;
    EXPECT_GT(moved, 1u);
  }
}

TEST(RigidScenes, AWallAtRestStaysAtRest) {
  RigidSystem system = brick_wall(200, 0);
  EXPECT_GE(system.bodies.size(), 201u);
  const RigidSystem standing = system;
  Watch run{system};
  run.steps(60, 1.0 / 60, [&](int i) {
    for (RigidBody& body : system.bodies)
      if (i < 20) body.calm = 0;  // nobody may sleep yet
  });
  double drift = 0;
  for (std::size_t i = 1; i < system.bodies.size(); ++i)
    drift = std::max(
        drift, (system.bodies[i].pose.translation - standing.bodies[i].pose.translation).norm());
  EXPECT_LT(drift, 2e-4);
  EXPECT_LT(run.growth, 0.1);
  const RigidSystem later = system;
  run.steps(10, 1.0 / 60, [](int) {});
  for (std::size_t i = 1; i < system.bodies.size(); ++i) {
    EXPECT_TRUE(system.bodies[i].asleep());
    EXPECT_EQ(system.bodies[i].pose.translation, later.bodies[i].pose.translation);
  }
}

TEST(RigidScenes, ASleepingWallFallsWhereItsFootIsTakenAway) {
  RigidSystem system = brick_wall(24, 0);
  for (RigidBody& body : system.bodies) body.calm = 1;
  for (std::size_t i = 1; i <= 2; ++i) {  // the left of the lowest row
    system.bodies[i].calm = 0;
    system.bodies[i].velocity = {0, -4, 0};
  }
  const double height = system.bodies[7].pose.translation[2];
  Watch run{system};
  run.steps(60, 1.0 / 60, [](int) {});
  EXPECT_LT(system.bodies[7].pose.translation[2], height - 0.02);
}

TEST(RigidScenes, AFigureFallsDownStairsInOnePieceAtAnyRate) {
  for (const int hertz : {30, 60, 120, 240}) {
    SCOPED_TRACE(hertz);
    RigidSystem system = stairs_with_figures(1, 8, 1);
    const auto place = [&] { return system.bodies.back().pose.translation; };
    const Vec3 from = place();
    double apart = 0;
    Watch run{system};
    run.steps(hertz * 3 / 2, 1.0 / hertz,
              [&](int) { apart = std::max(apart, joint_error(system)); });
    EXPECT_LT(apart, 1.5e-3);
    EXPECT_LT(run.growth, 0.01 * energy(stairs_with_figures(1, 8, 1)));
    EXPECT_LT(place()[2], from[2] - 0.5);
  }
}

}  // namespace
}  // namespace graze
