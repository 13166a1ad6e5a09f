#include "graze/generate/models.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <map>
#include <set>

#include "graze/generate/level.h"
#include "test/support/hash.h"

namespace graze::generate::models_test {
namespace {

// Expects that every directed side of a face occurs once, and so does its opposite.
void expect_closed(const SurfaceModel& model) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> sides;
  for (const Face& face : model.faces)
    for (std::size_t k = 0; k < 3; ++k) {
      ASSERT_LT(face[k], model.vertices.size());
      ASSERT_NE(face[k], face[(k + 1) % 3]);
      ++sides[{face[k], face[(k + 1) % 3]}];
    }
  for (const auto& [side, count] : sides) {
    ASSERT_EQ(count, 1);
    ASSERT_TRUE(sides.contains({side.second, side.first}));
  }
}

TEST(Models, HaveTheTrianglesOfThePaper) {
  const auto triangles = [](const char* name) {
    return find_model_recipe(name)->make().faces.size();
  };
  EXPECT_EQ(triangles("knot_2880"), 2880u);
  EXPECT_EQ(triangles("knot_11520"), 11520u);
  EXPECT_EQ(triangles("knot_34560"), 34560u);
  EXPECT_EQ(triangles("ring"), 10000u);
  EXPECT_EQ(triangles("figure"), 37888u);
  EXPECT_EQ(triangles("board"), 12u);
  EXPECT_EQ(find_model_recipe("no such"), nullptr);
}

TEST(Models, ThatAreClosedHaveTwoFacesAtEveryEdgeAndFaceOutwards) {
  for (const ModelRecipe& recipe : model_recipes()) {
    SCOPED_TRACE(recipe.name);
    const SurfaceModel model = recipe.make();
    if (!recipe.closed) continue;
    expect_closed(model);
    EXPECT_GT(six_volumes(model), 0);
    std::set<std::uint32_t> used;
    for (const Face& face : model.faces) used.insert(face.begin(), face.end());
    EXPECT_EQ(used.size(), model.vertices.size());
  }
}

TEST(Models, EncloseTheVolumeOfTheirShape) {
  const auto volume = [](const SurfaceModel& model) { return six_volumes(model) / 6; };
  constexpr double pi = 3.14159265358979323846;
  EXPECT_DOUBLE_EQ(volume(box({1, 2, 3})), 48);
  EXPECT_NEAR(volume(ring(400, 200)), 2 * pi * pi * 0.25 * 0.25, 1e-3);
  EXPECT_DOUBLE_EQ(volume(tetrahedron()), 1.0 / 3);
  EXPECT_DOUBLE_EQ(volume(l_shape()), (0.25 + 0.25 * 0.75) * 0.25);
  EXPECT_DOUBLE_EQ(volume(scaled(tetrahedron(), 1e3)), 1e9 / 3);
}

TEST(Models, HaveTrianglesOfSomeArea) {
  for (const ModelRecipe& recipe : model_recipes()) {
    const SurfaceModel model = recipe.make();
    for (const auto& [a, b, c] : model.faces) {
      const Vec3 &x = model.vertices[a], &y = model.vertices[b], &z = model.vertices[c];
      ASSERT_GT((y - x).cross(z - x).norm(), 1e-6 * (y - x).norm()) << recipe.name;
    }
  }
}

TEST(Models, HaveTheSameBitsEverywhere) {
  test::Hash hash;
  for (const ModelRecipe& recipe : model_recipes())
    for (const Vec3& vertex : recipe.make().vertices)
      for (const double x : {vertex[0], vertex[1], vertex[2]}) hash.add(x);
  EXPECT_EQ(hash.value(), 7023416189627282179u);
}

TEST(Level, HasTheSameBitsEverywhere) {
  test::Hash hash;
  for (const SolidCorners& corners : level_solids(1))
    for (const Vec3& corner : corners)
      for (const double x : {corner[0], corner[1], corner[2]}) hash.add(x);
  EXPECT_EQ(hash.value(), 15853963614338155583u);
}

}  // namespace
}  // namespace graze::generate::models_test
