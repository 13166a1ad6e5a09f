#include "graze/sim/soft.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>

#include "graze/sim/elastic/material/tet_meshes.h"
#include "graze/sim/elastic/soft_scenes.h"
#include "test/support/scale.h"
#include "test/support/soft_simulation.h"

namespace graze::sim::soft::barriers_test {
namespace {

Body solid(TetMesh mesh, const SolidMaterial& material) {
  Body body;
  body.rest = std::move(mesh.positions);
  body.tets = std::move(mesh.tets);
  body.solid = material;
  return body;
}

Model model_of(Body body) {
  Model model;
  model.bodies.push_back(std::move(body));
  return model;
}

// Holds the vertices whose rest coordinate k has this value.
Hold hold_at(const Body& body, int k, double value, const Drive& drive = {}) {
  Hold hold{{}, drive};
  for (std::uint32_t i = 0; i < body.rest.size(); ++i)
    if (body.rest[i][k] == value) hold.vertices.push_back(i);
  return hold;
}

TEST(Barriers, FallsFreelyAsImplicitEulerDoes) {
  Model model = model_of(solid(ball_tets(0.3, 2), {}));
  model.bodies[0].velocities.assign(model.bodies[0].rest.size(), Vec3(1, 2, 3));
  const std::vector<Vec3> start = model.bodies[0].rest;
  Simulation solver(std::move(model));
  const double h = 0.01;
  const int steps = 50;
  for (int i = 0; i < steps; ++i) solver.step(h);
  // Velocity before position: half a step ahead of the parabola.
  const Vec3 moved =
      steps * h * Vec3(1, 2, 3) - 9.81 * h * h * steps * (steps + 1) / 2 * Vec3(0, 0, 1);
  for (std::size_t i = 0; i < start.size(); ++i)
    EXPECT_LT((solver.state.positions[i] - start[i] - moved).norm(), 1e-10);
  EXPECT_LT(std::abs(solver.energy().elastic), 1e-9);
}

// A hanging bar is longer by density g / young (length z - z^2 / 2) at the depth z.
TEST(Barriers, HangsABarByItsWeight) {
  const double density = 1000, young = 1e6, length = 1;
  Body bar = solid(box_tets({0, 0, 0}, {0.2, 0.2, length}, {2, 2, 10}), {density, young, 0});
  bar.holds = {hold_at(bar, 2, length)};
  const std::vector<Vec3> rest = bar.rest;
  Simulation solver(model_of(std::move(bar)));
  for (int i = 0; i < 60; ++i) solver.step(0.02);
  // On average over a cross-section: the tetrahedra put more weight on some of its corners.
  std::map<double, std::vector<double>> lower;
  for (std::size_t i = 0; i < rest.size(); ++i)
    lower[length - rest[i].z()].push_back(rest[i].z() - solver.state.positions[i].z());
  for (const auto& [z, sags] : lower) {
    const double mean = std::accumulate(sags.begin(), sags.end(), 0.0) / double(sags.size());
    const double sag = density * 9.81 / young * (length * z - z * z / 2);
    EXPECT_NEAR(mean, sag, 0.005 * density * 9.81 / young) << "at depth " << z;
  }
  for (const double sag : lower[0]) EXPECT_EQ(sag, 0);  // (3)
}

// A bar that is pulled slowly stores young / 2 strain^2 per volume, and its middle gets thinner by
// Poisson's ratio times the strain.
TEST(Barriers, StretchesABarByHookesLaw) {
  const double young = 1e6, poisson = 0.3, strain = 0.01, length = 1.2, width = 0.2;
  Body bar = solid(box_tets({0, 0, 0}, {length, width, width}, {12, 2, 2}), {1000, young, poisson});
  bar.holds = {hold_at(bar, 0, 0.0),
               hold_at(bar, 0, length, {.velocity = {strain * length, 0, 0}, .until = 1})};
  const std::vector<Vec3> rest = bar.rest;
  Model model = model_of(std::move(bar));
  model.gravity.setZero();
  Simulation solver(std::move(model));
  Report report;
  for (int i = 0; i < 80; ++i) report = solver.step(0.02);
  EXPECT_LT(report.off_course, 1e-3 * length);
  const double expected = young / 2 * strain * strain * length * width * width;
  EXPECT_NEAR(solver.energy().elastic, expected, 0.06 * expected);  // the ends are held
  for (std::size_t i = 0; i < rest.size(); ++i)
    if (rest[i].x() == length / 2 && rest[i].y() == 0) {
      EXPECT_NEAR(solver.state.positions[i].y(), poisson * strain * width / 2,
                  0.1 * poisson * strain * width / 2);
    }
}

struct Short {
  const char* name;
  std::size_t vertices;
  double step;
  std::size_t steps;
};
Model make(const Short& scene) {
  for (const SoftScene& row : soft_scenes())
    if (row.name == scene.name) return row.make(scene.vertices);
  const TetMesh figure = torus_tets(1, 0.4, 12, 1);
  return squash_scene(
      moved(figure, Eigen::Isometry3d(Eigen::AngleAxisd(1.3, Vec3::UnitX()))).positions,
      surface_of(figure.tets), scene.vertices);
}

class SoftSceneRuns : public testing::TestWithParam<Short> {};
INSTANTIATE_TEST_SUITE_P(Scenes, SoftSceneRuns,
                         testing::Values(Short{"squash", 60, 0.02, 40}, Short{"mat", 40, 0.05, 50},
                                         Short{"golf", 25, 0.0025, 40},
                                         Short{"chain", 224, 0.02, 25}),
                         [](const auto& scene) { return scene.param.name; });

// Promises (1) and (2): the monitor certifies every step.
TEST_P(SoftSceneRuns, HaveNoIntersectionAndBoundedEnergy) {
  const Short scene = GetParam();
  Model model = make(scene);
  ASSERT_EQ(problem(model), "");
  Simulation solver(std::move(model));
  solver.watch();
  const double start = solver.energy().total();
  std::size_t contacts = 0;
  double most = start, least_bound = 1;
  for (std::size_t i = 0; i < scene.steps; ++i) {
    const Report report = solver.step(scene.step);
    ASSERT_EQ(report.verdict, Verdict::separated);
    ASSERT_EQ(solver.crossings, 0u) << "at " << solver.state.time;
    ASSERT_FALSE(solver.intersects()) << "at " << solver.state.time;
    contacts = std::max(contacts, report.contacts);
    least_bound = std::min(least_bound, report.bound);
    most = std::max(most, solver.energy().total());
  }
  EXPECT_GT(contacts, 3u);
  EXPECT_GE(solver.parts, scene.steps);
  EXPECT_LT(least_bound, 1);
  // Only the mat is driven.
  if (std::string_view(scene.name) != "mat") {
    EXPECT_LT(most, start + 1e-6 * std::abs(start) + 1e-9);
  }
  EXPECT_TRUE(std::isfinite(most));
}

TEST(Barriers, _5_ContinuesARestoredStateWithTheSameBits) {
  const Short scene{"chain", 224, 0.02, 0};
  Simulation one(make(scene)), other(make(scene));
  for (int i = 0; i < 12; ++i) {
    one.step(scene.step, 1);
    other.step(scene.step, 2);
    ASSERT_EQ(one.state.positions, other.state.positions);
    ASSERT_EQ(one.state.velocities, other.state.velocities);
    if (i == 8) {
      Simulation fresh(make(scene));
      fresh.state = other.state;
      other = std::move(fresh);
    }
  }
  EXPECT_EQ(one.state.time, other.state.time);
}

TEST(Model, NamesItsFirstDefect) {
  const auto wrong = [](auto&& spoil) {
    Model model = make({"golf", 25, 0, 0});
    spoil(model);
    return problem(model);
  };
  EXPECT_EQ(wrong([](Model&) {}), "");
  EXPECT_EQ(wrong([](Model& m) { m.bodies.clear(); }), "a scene needs bodies");
  EXPECT_EQ(wrong([](Model& m) { m.reach = 0; }), "the reach must be above 0");
  EXPECT_EQ(wrong([](Model& m) { m.obstacles[1].faces[0][2] = 9; }),
            "obstacle 1 (wall behind): face 0 names vertex 9 of 9");
  EXPECT_EQ(wrong([](Model& m) { m.bodies[0].rest[3].z() = NAN; }),
            "body 0 (ball): 3 of the positions at rest is not finite");
  EXPECT_EQ(
      wrong([](Model& m) {
        for (Vec3& x : m.bodies[0].rest) x.x() += 0.95;
      }),
      "surfaces touch at the start: face 1 of body 0 (ball) and face 0 of obstacle 0 (wall) (12 "
      "pairs of faces touch)");
}

}  // namespace
}  // namespace graze::sim::soft::barriers_test
