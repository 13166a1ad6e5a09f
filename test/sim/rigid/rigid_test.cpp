#include "graze/sim/rigid.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "graze/generate/models.h"
#include "graze/sim/rigid/rigid_scenes.h"

namespace graze::sim::rigid::rigid_test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

Shape shape_of(const generate::SurfaceModel& model) {
  return make_mesh_shape(model.vertices, model.faces);
}

double kinetic(const Scene& scene) {
  return kinetic_energy(scene.model, scene.state);
}
double energy(const Scene& scene) {
  return kinetic(scene) + potential_energy(scene.model, scene.state);
}

Report advance_by(Scene& scene, double seconds) {
  Options options;
  options.seconds = seconds;
  return step(scene.model, scene.state, options);
}

bool is_free(const Scene& scene) {
  return find_penetration(scene.model, scene.state).verdict == Verdict::separated;
}

TEST(RigidBodies, FallFreely) {
  Scene scene = falling_pile(shape_of(generate::tetrahedron()), 1, 1);
  Body& body = scene.state.bodies[1];
  body.pose.translation[2] = 100;
  for (int i = 0; i < 100; ++i) advance_by(scene, 0.01);
  const double g = scene.model.gravity.norm();
  EXPECT_NEAR(body.velocity[2], -g, 1e-9 * g);
  EXPECT_NEAR(body.pose.translation[2], 100 - g * (0.5 + 0.005), 1e-9 * g);
}

TEST(RigidBodies, KeepAngularMomentumAndGainNoEnergyWhenTheyTumble) {
  Scene scene = falling_pile(shape_of(generate::l_shape()), 1, 1);
  scene.model.gravity = Vec3::Zero();
  Body& body = scene.state.bodies[1];
  body.pose.translation[2] = 10;
  body.spin = {1, 2, 3};
  const auto momentum = [&] {
    const Eigen::Matrix3d r = body.pose.rotation.normalized().toRotationMatrix();
    return Vec3(r * scene.model.shapes[1].inertia() * r.transpose() * body.spin);
  };
  const Vec3 before = momentum();
  double last = kinetic(scene);
  for (int i = 0; i < 300; ++i) {
    advance_by(scene, 0.001);
    ASSERT_LE(kinetic(scene), last * (1 + 1e-12));
    last = kinetic(scene);
  }
  EXPECT_TRUE(momentum().isApprox(before, 2e-3));
}

// A cube that falls flat is reflected with the restitution.
TEST(RigidBodies, BounceWithTheRestitution) {
  Scene scene = falling_pile(shape_of(generate::box({0.5, 0.5, 0.5})), 1, 1);
  Body& body = scene.state.bodies[1];
  body.pose = {Eigen::Quaterniond::Identity(), {0, 0, 0.51}};
  scene.model.gravity = {0, 0, -1e-3};
  scene.model.restitution = 0.5;
  body.velocity = {0, 0, -1};
  advance_by(scene, 0.02);
  advance_by(scene, 0.02);
  EXPECT_NEAR(body.velocity[2], 0.5, 0.01);
  EXPECT_LT(body.spin.norm(), 1e-6);
}

TEST(RigidBodies, ComeToRestInAPileWithoutPenetrationOrGainOfEnergy) {
  for (const generate::SurfaceModel& model :
       {generate::box({0.5, 0.5, 0.5}), generate::l_shape(), generate::ring(16, 8)}) {
    Scene scene = falling_pile(shape_of(model), 3, 1);
    double lowest = energy(scene);
    const double before = lowest;
    for (int i = 0; i < 360; ++i) {
      advance_by(scene, 1.0 / 120);
      ASSERT_TRUE(is_free(scene)) << i;
      ASSERT_LT(energy(scene), lowest + 1e-6 * before) << i;
      lowest = std::min(lowest, energy(scene));
    }
    const double size = scene.model.shapes[1].radius();
    for (const Body& body : scene.state.bodies) {
      EXPECT_LT(body.velocity.norm(), 2 * size);
      EXPECT_GT(body.pose.translation[2], -0.51 * size);
    }
  }
}

// Promise (3), of every step from the fall of a pile to its rest.
TEST(RigidBodies, GainNoEnergyInAStep) {
  for (const int hertz : {30, 60, 240}) {
    SCOPED_TRACE(hertz);
    Scene scene = falling_pile(make_box_shape({0.5, 0.5, 0.5}), 3, 1);
    for (int i = 0; i < 3 * hertz; ++i) {
      const double before = energy(scene);
      advance_by(scene, 1.0 / hertz);
      ASSERT_LE(energy(scene), before + 1e-12 * std::abs(before)) << i;
    }
  }
}

// The same for steps of lengths between a microsecond and 1/30 s.
TEST(RigidBodies, GainNoEnergyInStepsOfAnyLength) {
  for (const std::uint32_t seed : {1u, 2u, 3u}) {
    SCOPED_TRACE(seed);
    Scene scene = falling_pile(make_box_shape({0.5, 0.5, 0.5}), 5, seed);
    std::uint32_t dice = seed;
    for (int i = 0; i < 1000; ++i) {
      dice = dice * 1103515245u + 12345u;
      const double before = energy(scene);
      advance_by(scene, 1e-6 * std::pow(1e6 / 30, (dice >> 8 & 0xffff) / 65536.0));
      ASSERT_LE(energy(scene), before + 1e-12 * std::abs(before)) << i;
    }
  }
}

// A box that spins on a floor without friction: I dw/dt = -rolling_friction m g, in steps of any
// length, down to 0.
TEST(RigidBodies, RollingFrictionReducesSpinByItsTorqueAndNeverReversesIt) {
  for (const bool even : {true, false}) {
    SCOPED_TRACE(even);
    Scene scene = falling_pile(make_box_shape({0.5, 0.4, 0.1}), 1, 1);
    scene.model.friction = 0;
    scene.model.gravity = {0, 0, -10};
    scene.model.rolling_friction = 0.01;
    Body& body = scene.state.bodies[1];
    body.pose = {Eigen::Quaterniond::Identity(), {0, 0, 0.1 + scene.model.gap / 2}};
    body.spin = {0, 0, 3};
    const Shape& shape = scene.model.shapes[1];
    const double slowing = 0.01 * shape.mass() * 10 / shape.inertia()(2, 2);
    std::uint32_t dice = 1;
    double time = 0, last = 3;
    for (int i = 0; time < 5.5; ++i) {
      dice = dice * 1103515245u + 12345u;
      const double seconds =
          even ? 1.0 / 60 : 1e-6 * std::pow(1e6 / 30, (dice >> 8 & 0xffff) / 65536.0);
      const double before = energy(scene);
      advance_by(scene, seconds);
      time += seconds;
      ASSERT_LE(energy(scene), before + 1e-12) << i;
      ASSERT_LE(body.spin[2], last + 1e-9) << i;
      ASSERT_GE(body.spin[2], -1e-9) << i;
      ASSERT_NEAR(body.spin[2], std::max(0.0, 3 - slowing * time), 0.05) << i;
      last = body.spin[2];
    }
    EXPECT_TRUE(body.is_asleep());
  }
}

// Three rods swing as a chain that hangs on a static body.
TEST(RigidBodies, StayTogetherAtTheJointsOfAChain) {
  Scene scene;
  scene.model.shapes = {make_box_shape({0.05, 0.05, 0.05}), make_box_shape({0.4, 0.05, 0.05})};
  std::vector<Body>& bodies = scene.state.bodies;
  bodies.resize(4);
  bodies[0].is_static = true;
  for (std::uint32_t i = 1; i < 4; ++i) {
    bodies[i].shape = 1;
    bodies[i].pose.translation = {i - 0.5, 0, 0};
    const Vec3 end = {0.5, 0, 0};
    scene.model.joints.push_back({i - 1, i, i == 1 ? Vec3(Vec3::Zero()) : end, -end});
  }
  const double before = energy(scene);
  double lowest = 0;
  for (int i = 0; i < 150; ++i) {
    advance_by(scene, 1.0 / 30);
    ASSERT_TRUE(is_free(scene)) << i;
    ASSERT_LT(joint_error(scene.model, scene.state), 1e-3) << i;
    const double fallen = std::abs(before - potential_energy(scene.model, scene.state));
    ASSERT_LT(energy(scene), before + 0.05 * fallen) << i;
    lowest = std::min(lowest, bodies[3].pose.translation[2]);
  }
  EXPECT_LT(lowest, -2);
}

TEST(RigidBodies, AreNotThrownByATinyStepWhenTheyAreTooNear) {
  Scene scene = falling_pile(shape_of(generate::box({0.5, 0.5, 0.5})), 1, 1);
  const Model& model = scene.model;
  Body& body = scene.state.bodies[1];
  body.pose = {Eigen::Quaterniond::Identity(), {0, 0, 0.5 + 0.01 * model.gap}};
  advance_by(scene, 1e-8);
  EXPECT_TRUE(is_free(scene));
  EXPECT_LE(body.velocity.norm(), 1.01 * std::sqrt(model.gravity.norm() * model.gap));
}

TEST(RigidBodies, FindPenetrationNamesBodiesAndFaces) {
  Scene scene = falling_pile(shape_of(generate::tetrahedron()), 2, 1);
  EXPECT_TRUE(is_free(scene));
  std::vector<Body>& bodies = scene.state.bodies;
  bodies[2].pose = bodies[1].pose;
  bodies[2].pose.translation[0] += 0.1;
  const Penetration found = find_penetration(scene.model, scene.state);
  ASSERT_EQ(found.verdict, Verdict::contact);
  EXPECT_EQ(found.a, 1u);
  EXPECT_EQ(found.b, 2u);
  EXPECT_LT(found.face_a, 4u);
  EXPECT_LT(found.face_b, 4u);
}

TEST(RigidBodies, GiveTheSameBitsAgain) {
  const auto run = [] {
    Scene scene = falling_pile(shape_of(generate::l_shape()), 2, 5);
    for (int i = 0; i < 60; ++i) step(scene.model, scene.state);
    return scene.state.bodies[2].pose;
  };
  const Pose first = run(), second = run();
  EXPECT_EQ(first.translation, second.translation);
  EXPECT_EQ(first.rotation.coeffs(), second.rotation.coeffs());
}

TEST(RigidBodies, MonitorReceivesEveryStoredState) {
  Scene scene = falling_pile(shape_of(generate::l_shape()), 2, 5);
  Options options;
  int seen = 0;
  Vec3 place = scene.state.bodies[2].pose.translation;
  options.monitor = [&](const State& before, const State& after) {
    ++seen;
    EXPECT_EQ(before.bodies[2].pose.translation, place);
    place = after.bodies[2].pose.translation;
  };
  for (int i = 0; i < 10; ++i) {
    step(scene.model, scene.state, options);
    ASSERT_EQ(place, scene.state.bodies[2].pose.translation);
  }
  EXPECT_EQ(seen, 10);  // without joints a step is not divided
  // The joints of a figure that tumbles fast divide a step.
  scene = stairs_with_figures(1, 8, 1);
  for (Body& body : scene.state.bodies) body.spin = {20, 0, 0};
  place = scene.state.bodies[2].pose.translation;
  seen = 0;
  options.seconds = 1.0 / 30;
  step(scene.model, scene.state, options);
  EXPECT_GT(seen, 1);
  EXPECT_EQ(place, scene.state.bodies[2].pose.translation);
}

TEST(RigidBodies, InvalidInputChangesNothing) {
  const Scene good = falling_pile(make_box_shape({0.5, 0.5, 0.5}), 2, 1);
  const auto is_refused = [&](const auto& change) {
    Scene scene = good;
    Options options;
    change(scene, options);
    const Vec3 place = scene.state.bodies[1].pose.translation;
    return step(scene.model, scene.state, options).verdict == Verdict::invalid &&
           scene.state.bodies[1].pose.translation == place &&
           scene.state.bodies[1].velocity == good.state.bodies[1].velocity;
  };
  EXPECT_FALSE(is_refused([](Scene&, Options&) {}));
  for (const double seconds : {0.0, -1.0, nan, inf})
    EXPECT_TRUE(is_refused([&](Scene&, Options& options) { options.seconds = seconds; }));
  EXPECT_TRUE(is_refused([](Scene& s, Options&) { s.model.gap = 0; }));
  EXPECT_TRUE(is_refused([](Scene& s, Options&) { s.model.restitution = 1.5; }));
  EXPECT_TRUE(is_refused([](Scene& s, Options&) { s.model.gravity[1] = nan; }));
  EXPECT_TRUE(is_refused([](Scene& s, Options&) { s.model.joints.push_back({0, 3}); }));
  EXPECT_TRUE(is_refused([](Scene& s, Options&) { s.state.bodies[2].shape = 2; }));
  EXPECT_TRUE(is_refused([](Scene& s, Options&) { s.state.bodies[2].spin[0] = inf; }));
  EXPECT_TRUE(is_refused([](Scene& s, Options&) {
    s.model.shapes[0] = make_box_shape({1, 0, 1});
  }));
  Scene scene = good;
  scene.state.bodies[2].pose.translation[0] = nan;
  EXPECT_EQ(find_penetration(scene.model, scene.state).verdict, Verdict::invalid);
}

TEST(Shapes, ReportTheirDefects) {
  const generate::SurfaceModel cube = generate::box({1, 1, 1});
  EXPECT_TRUE(make_mesh_shape(cube.vertices, cube.faces).ok());
  EXPECT_EQ(make_mesh_shape(cube.vertices, cube.faces).problem(), "");
  EXPECT_EQ(make_mesh_shape(cube.vertices, {}).problem(), "has no triangles");
  EXPECT_EQ(make_mesh_shape(std::span(cube.vertices).first(7), cube.faces).ok(), false);
  EXPECT_FALSE(make_mesh_shape(cube.vertices, cube.faces, 0).ok());
  EXPECT_FALSE(make_mesh_shape(cube.vertices, cube.faces, nan).ok());
  const std::vector<Vec3> flat = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  EXPECT_EQ(make_mesh_shape(flat, std::vector<Face>{{0, 1, 2}}).problem(), "has no volume");
  EXPECT_TRUE(make_polygon_shape(flat, 0.1).ok());
  EXPECT_FALSE(make_polygon_shape(flat, 0).ok());
  EXPECT_FALSE(make_polygon_shape(std::span(flat).first(2), 0.1).ok());
  EXPECT_FALSE(make_box_shape({1, -1, 1}).ok());
  EXPECT_FALSE(make_particle_shape(0).ok());
  EXPECT_FALSE(make_convex_shape(std::vector<Vec3>(17, Vec3::Zero()), {}).ok());
}

}  // namespace
}  // namespace graze::sim::rigid::rigid_test
