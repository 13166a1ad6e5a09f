#include "graze/generate/scenes.h"

#include <gtest/gtest.h>

#include "graze/step.h"
#include "test/support/hash.h"

namespace graze::generate::scenes_test {
namespace {

TEST(Scenes, HaveAboutTheTrianglesAskedForAndTheFrames) {
  for (const SceneRecipe& recipe : scene_recipes()) {
    EXPECT_EQ(find_scene_recipe(recipe.name), &recipe);
    for (const std::size_t triangles : {1u, 100u, 10000u}) {
      const FrameSequence scene = recipe.make(triangles, 3);
      ASSERT_EQ(scene.frames.size(), 3u);
      for (const auto& frame : scene.frames) EXPECT_EQ(frame.size(), scene.mesh.vertex_count);
      EXPECT_NEAR(double(scene.mesh.faces.size()), double(triangles), 8 + 0.1 * double(triangles));
    }
  }
  EXPECT_EQ(find_scene_recipe("no such"), nullptr);
}

TEST(Scenes, HaveTheSameBitsEverywhere) {
  for (const auto& [name, bits] : {std::pair("cloth_on_cone", 2549691640084378219u),
                                   std::pair("twisted_rods", 14066367404277416120u)}) {
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

}  // namespace
}  // namespace graze::generate::scenes_test
