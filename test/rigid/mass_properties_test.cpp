#include "graze/rigid/model/mass_properties.h"

#include <gtest/gtest.h>

#include <numbers>

#include "graze/generate/models.h"
#include "graze/generate/random.h"
#include "graze/pose.h"
#include "graze/rigid/model/convex_hull.h"

namespace graze::rigid::mass_properties_test {
namespace {

MassProperties of(const generate::SurfaceModel& model) {
  return mass_properties(model.vertices, model.faces);
}

TEST(MassProperties, OfABoxAreThoseOfTheFormula) {
  generate::SurfaceModel model = generate::box({1, 2, 3});
  for (Vec3& vertex : model.vertices) vertex += Vec3(100, -50, 7);
  const MassProperties mass = of(model);
  EXPECT_NEAR(mass.volume, 48, 1e-11);
  EXPECT_TRUE(mass.centre.isApprox(Vec3(100, -50, 7), 1e-14));
  const Vec3 expected = 48.0 / 3 * Vec3(4 + 9, 1 + 9, 1 + 4);
  EXPECT_TRUE(mass.inertia.isApprox(Eigen::Matrix3d(expected.asDiagonal()), 1e-12));
}

TEST(MassProperties, OfARingApproachThoseOfATorus) {
  const MassProperties mass = of(generate::ring(400, 200));
  const double pi = std::numbers::pi, volume = 2 * pi * pi * 0.25 * 0.25;
  EXPECT_NEAR(mass.volume, volume, 1e-3 * volume);
  EXPECT_NEAR(mass.inertia(2, 2), volume * (1 + 0.75 * 0.0625), 1e-3);
  EXPECT_NEAR(mass.inertia(0, 0), volume * (0.5 + 0.625 * 0.0625), 1e-3);
  EXPECT_LT(mass.centre.norm(), 1e-12);
}

TEST(MassProperties, TurnWithTheBodyAndIgnoreTheOrientationOfFaces) {
  generate::SurfaceModel model = generate::l_shape();
  const MassProperties mass = of(model);
  const Pose pose = Pose::from_axis_angle({1, 2, 3}, 1.1, {4, 5, 6});
  for (Vec3& vertex : model.vertices) vertex = pose * vertex;
  for (Face& face : model.faces) std::swap(face[0], face[1]);
  const MassProperties turned = of(model);
  const Eigen::Matrix3d rotation = pose.rotation.toRotationMatrix();
  EXPECT_NEAR(turned.volume, mass.volume, 1e-12);
  EXPECT_TRUE(turned.centre.isApprox(pose * mass.centre, 1e-12));
  EXPECT_TRUE(turned.inertia.isApprox(rotation * mass.inertia * rotation.transpose(), 1e-10));
}

TEST(MassProperties, OfAnOpenMeshAreThoseOfItsHull) {
  generate::SurfaceModel model = generate::box({1, 2, 3});
  model.vertices.emplace_back(0.1, 0.2, 0.3);  // inside
  model.faces.pop_back();
  EXPECT_FALSE(bounds_a_solid(model.faces));
  EXPECT_NEAR(of(model).volume, 48, 1e-12);
  EXPECT_NEAR(of(generate::soup(30, 0.5, 1)).volume, 8, 4);
}

TEST(MassProperties, OfTheHullOfPointsOnASphereAreThoseOfTheBall) {
  generate::Random random("hull", 0, 1, 0);
  std::vector<Vec3> points;
  for (int i = 0; i < 3000; ++i) points.push_back(random.cube(-1, 1).normalized());
  const auto faces = graze::rigid::convex_hull(points);
  EXPECT_TRUE(bounds_a_solid(faces));
  EXPECT_NEAR(solid_of(points, faces).volume, 4 * std::numbers::pi / 3, 0.02);
}

TEST(MassProperties, OfASurfaceWithoutInsideAreZero) {
  EXPECT_EQ(mass_properties({}, {}).volume, 0);
  const std::vector<Vec3> flat = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {2, 1, 0}};
  EXPECT_TRUE(graze::rigid::convex_hull(flat).empty());
  EXPECT_EQ(mass_properties(flat, std::vector<Face>{{0, 1, 2}}).volume, 0);
}

}  // namespace
}  // namespace graze::rigid::mass_properties_test
