#include "graze/generate/scenes.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "graze/step.h"
#include "test/support/hash.h"

namespace graze::generate::scenes_test {
namespace {

TEST(Scenes, HaveTheFramesAndAboutTheRequestedTriangles) {
  for (const SceneRecipe& recipe : scene_recipes()) {
    EXPECT_EQ(find_scene_recipe(recipe.name), &recipe);
    for (const std::size_t triangles : {1u, 100u, 10000u}) {
      const FrameSequence scene = recipe.make(triangles, 3);
      ASSERT_EQ(scene.frames.size(), 3u);
      for (const auto& frame : scene.frames) EXPECT_EQ(frame.size(), scene.mesh.vertex_count);
      const double least = recipe.name == "spinning_knots" ? 144 : 1;
      EXPECT_NEAR(double(scene.mesh.faces.size()), std::max(double(triangles), least),
                  8 + 0.1 * double(triangles));
    }
  }
  EXPECT_EQ(find_scene_recipe("no such"), nullptr);
}

TEST(Scenes, HaveTheSameBitsEverywhere) {
  for (const auto& [name, bits] : {std::pair("cloth_on_cone", 2549691640084378219u),
                                   std::pair("twisted_rods", 14066367404277416120u),
                                   std::pair("spinning_knots", 1750137722000074819u)}) {
    const FrameSequence scene = find_scene_recipe(name)->make(500, 2);
    test::Hash hash;
    for (const auto& frame : scene.frames)
      for (const Vec3& position : frame)
        for (const double x : {position[0], position[1], position[2]}) hash.add(x);
    EXPECT_EQ(hash.value(), bits) << name;
  }
}

TEST(Scenes, OfTheClothAreFreeFirstAndTouchThen) {
  for (const std::size_t triangles : {1000u, 20000u}) {
    const FrameSequence scene = find_scene_recipe("cloth_on_cone")->make(triangles, 3);
    EXPECT_TRUE(all_impacts(scene.step(0)).impacts.empty());
    const auto contacts = all_impacts(scene.step(1)).impacts.size();
    EXPECT_GT(contacts, triangles / 50);
    EXPECT_LT(contacts, triangles / 2);
  }
}

TEST(Scenes, OfTheRodsAreFreeFirstAndTouchThen) {
  for (const std::size_t triangles : {2000u, 20000u}) {
    const FrameSequence scene = find_scene_recipe("twisted_rods")->make(triangles, 3);
    EXPECT_TRUE(all_impacts(scene.step(0)).impacts.empty());
    EXPECT_GT(all_impacts(scene.step(1)).impacts.size(), triangles / 5);
  }
}

// The curve with the velocities of two frames is a rotation up to the error of a cubic.
TEST(Scenes, OfTheKnotsHaveTheVelocitiesOfARotation) {
  const FrameSequence scene = find_scene_recipe("spinning_knots")->make(2000, 4);
  ASSERT_EQ(scene.velocities.size(), 4u);
  EXPECT_TRUE(all_impacts(scene.step(0)).impacts.empty());
  EXPECT_GT(all_impacts(scene.step(2)).impacts.size(), 10u);
  const CurvedMesh curved = CurvedMesh::hermite(scene.mesh, scene.frames[1], scene.velocities[1],
                                                scene.frames[2], scene.velocities[2]);
  const std::vector<Vec3> middle = positions_at(curved, 0.5);
  for (std::size_t v = 0; v < scene.mesh.vertex_count / 2; ++v)
    EXPECT_NEAR(middle[v].norm(), scene.frames[1][v].norm(), 1e-6);
}

}  // namespace
}  // namespace graze::generate::scenes_test
