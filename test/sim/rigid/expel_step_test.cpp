#include "graze/sim/rigid/expel_step.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "graze/generate/models.h"
#include "graze/sim/rigid/rigid_scenes.h"

namespace graze::sim::rigid::expel_step_test {
namespace {

double energy(const Scene& scene) {
  return kinetic_energy(scene.model, scene.state) + potential_energy(scene.model, scene.state);
}

Report step_by(Scene& scene, Mover mover, double seconds) {
  Options options;
  options.seconds = seconds;
  options.mover = mover;
  return step(scene.model, scene.state, options);
}

bool is_free(const Scene& scene) {
  return find_penetration(scene.model, scene.state).verdict == Verdict::separated;
}

double largest_way(const State& now, const State& then) {
  double most = 0;
  for (std::size_t i = 1; i < now.bodies.size(); ++i)
    most =
        std::max(most, (now.bodies[i].pose.translation - then.bodies[i].pose.translation).norm());
  return most;
}

TEST(ExpelStep, AWallStandsAndSleepsAtAnyRate) {
  for (const int hertz : {30, 60, 240}) {
    SCOPED_TRACE(hertz);
    Scene scene = brick_wall(60, 0);
    const State standing = scene.state;
    const double start = energy(scene);
    std::uint32_t stopped = 0;
    for (int i = 0; i < hertz; ++i) {
      stopped += step_by(scene, Mover::expel, 1.0 / hertz).stopped;
      ASSERT_LE(energy(scene), start + 1e-9) << i;
    }
    EXPECT_TRUE(is_free(scene));
    EXPECT_LT(largest_way(scene.state, standing), 1e-5);
    EXPECT_EQ(stopped, 0u);
    for (std::size_t i = 1; i < scene.state.bodies.size(); ++i)
      EXPECT_TRUE(scene.state.bodies[i].is_asleep());
  }
}

// Promises (1) and (3) of step() while a wall is shot to pieces, in steps of lengths between a
// microsecond and 1/30 s, and with both movers.
TEST(ExpelStep, AShotWallNeitherPenetratesNorGainsEnergyInStepsOfAnyLength) {
  for (const Mover mover : {Mover::expel, Mover::advance}) {
    SCOPED_TRACE(mover == Mover::expel ? "expel" : "advance");
    Scene scene = brick_wall(24, 1);
    const State standing = scene.state;
    const double before = energy(scene);
    ASSERT_TRUE(shoot(scene, 0));
    const double injected = energy(scene) - before;
    ASSERT_GT(injected, 1000);
    double lowest = energy(scene), time = 0, fastest = 0;
    std::uint32_t dice = 7, impacts = 0;
    for (int i = 0; i < 200 || time < 0.4; ++i) {
      dice = dice * 1103515245u + 12345u;
      const double seconds = 1e-6 * std::pow(1e6 / 30, (dice >> 8 & 0xffff) / 65536.0);
      impacts += step_by(scene, mover, seconds).impacts;
      time += seconds;
      ASSERT_TRUE(is_free(scene)) << i;
      ASSERT_LE(energy(scene), lowest + 1e-6 * injected) << i;
      lowest = std::min(lowest, energy(scene));
    }
    EXPECT_GT(impacts, 20u);
    std::size_t moved = 0;
    for (std::size_t i = 1; i < scene.state.bodies.size(); ++i) {
      const Body& body = scene.state.bodies[i];
      if (body.shape == standing.bodies[1].shape || body.shape == 2)
        moved += (body.pose.translation - standing.bodies[i].pose.translation).norm() > 0.1;
      fastest = std::max(fastest, body.velocity.norm());
    }
    EXPECT_GT(moved, 1u);
    EXPECT_GT(fastest, 3);  // the ball passes through
  }
}

TEST(ExpelStep, ABoxFallsTurnsAndComesToRestWhereTheOtherMoverLeavesIt) {
  for (const Mover mover : {Mover::expel, Mover::advance}) {
    Scene scene = falling_pile(make_box_shape({0.5, 0.4, 0.3}), 1, 1);
    double lowest = energy(scene);
    for (int i = 0; i < 240; ++i) {
      step_by(scene, mover, 1.0 / 60);
      ASSERT_TRUE(is_free(scene)) << i;
      ASSERT_LE(energy(scene), lowest + 1e-9) << i;
      lowest = std::min(lowest, energy(scene));
    }
    const Body& body = scene.state.bodies[1];
    EXPECT_TRUE(body.is_asleep());
    double low = std::numeric_limits<double>::infinity();
    for (const Vec3& vertex : scene.model.shapes[1].vertices())
      low = std::min(low, (body.pose * vertex)[2]);
    EXPECT_GT(low, 0);
    EXPECT_LT(low, scene.model.gap);
  }
}

// Bodies that fly 160 m and turn many times in a step bounce off a wall of 1 cm.
TEST(ExpelStep, NothingPassesThroughAThinWallInOneStep) {
  Scene scene;
  scene.model.gravity = Vec3::Zero();
  const std::vector<Vec3> corners = {{-0.1, 0, 0}, {0.1, 0, 0}, {0, 0.1, 0}};
  scene.model.shapes = {make_box_shape({5, 0.005, 5}), make_box_shape({0.1, 0.2, 0.05}),
                        make_polygon_shape(corners, 0.001), make_particle_shape(0.1)};
  scene.state.bodies.resize(4);
  scene.state.bodies[0].is_static = true;
  for (std::uint32_t i = 1; i < 4; ++i) {
    Body& body = scene.state.bodies[i];
    body.shape = i;
    body.pose.translation = {2.0 * i - 4, -1, 0.5};
    body.velocity = {0, 1e4, 0};
    if (i < 3) body.spin = {700, -300, 1000};
  }
  step_by(scene, Mover::expel, 1.0 / 60);
  EXPECT_TRUE(is_free(scene));
  for (std::size_t i = 1; i < 4; ++i) {
    EXPECT_LT(scene.state.bodies[i].pose.translation[1], 0) << i;
    EXPECT_LT(scene.state.bodies[i].velocity[1], 0) << i;
  }
}

TEST(ExpelStep, MeshesAndTheSameBitsAgain) {
  const generate::SurfaceModel bent = generate::l_shape();
  const Shape shape = make_mesh_shape(bent.vertices, bent.faces);
  Scene scene = falling_pile(shape, 2, 1), again = scene;
  for (int i = 0; i < 90; ++i) {
    step_by(scene, Mover::expel, 1.0 / 60);
    step_by(again, Mover::expel, 1.0 / 60);
    ASSERT_TRUE(is_free(scene)) << i;
  }
  for (std::size_t i = 0; i < scene.state.bodies.size(); ++i) {
    EXPECT_EQ(scene.state.bodies[i].pose.translation, again.state.bodies[i].pose.translation);
    EXPECT_EQ(scene.state.bodies[i].spin, again.state.bodies[i].spin);
  }
}

TEST(ExpelStep, JointsAreInvalidAndChangeNothing) {
  Scene scene = stairs_with_figures(1, 3, 1);
  const Vec3 place = scene.state.bodies.back().pose.translation;
  EXPECT_EQ(step_by(scene, Mover::expel, 1.0 / 60).verdict, Verdict::invalid);
  EXPECT_EQ(scene.state.bodies.back().pose.translation, place);
}

}  // namespace
}  // namespace graze::sim::rigid::expel_step_test
