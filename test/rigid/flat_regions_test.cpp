#include "graze/rigid/model/flat_regions.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>

#include "graze/generate/models.h"
#include "graze/rigid/model/model.h"

namespace graze::rigid::flat_regions_test {
namespace {

std::vector<FlatRegion> regions_of(const generate::SurfaceModel& model) {
  std::vector<Vec3> normals, centroids;
  for (const auto& [a, b, c] : model.faces) {
    const Vec3 &p = model.vertices[a], &q = model.vertices[b], &r = model.vertices[c];
    normals.push_back((q - p).cross(r - p).normalized());
    centroids.push_back((p + q + r) / 3);
  }
  return flat_regions(model.faces, normals, centroids);
}

TEST(FlatRegions, AreTheSidesOfBoxes) {
  const auto tray = regions_of(generate::tray({1, 0.8, 0.4}, 2, 6));
  ASSERT_EQ(tray.size(), 5u);
  for (const FlatRegion& region : tray) EXPECT_EQ(region.size(), 72u);
  // Sides of different teeth that lie in one plane are not connected.
  EXPECT_EQ(regions_of(generate::comb(5, 0.4, 3)).size(), 36u);
}

TEST(FlatRegions, ContainEveryFaceOnce) {
  const generate::SurfaceModel comb = generate::comb(3, 0.4, 4);
  std::vector<std::uint32_t> faces;
  for (const FlatRegion& region : regions_of(comb))
    faces.insert(faces.end(), region.begin(), region.end());
  std::sort(faces.begin(), faces.end());
  ASSERT_EQ(faces.size(), comb.faces.size());
  for (std::uint32_t f = 0; f < faces.size(); ++f) ASSERT_EQ(faces[f], f);
}

TEST(FlatRegions, AreNoneOnCurvedSurfaces) {
  EXPECT_TRUE(regions_of(generate::torus_knot(60, 8)).empty());
  EXPECT_TRUE(regions_of(generate::ring(40, 20)).empty());
  EXPECT_TRUE(regions_of(generate::bumpy_figure(30, 20)).empty());
  EXPECT_TRUE(regions_of(generate::thread(1, 24, 2, 8)).empty());
  EXPECT_TRUE(regions_of(generate::soup(200, 0.3, 1)).empty());
}

// Every tooth of a comb and every side of a tray is a node of its own.
TEST(FlatRegions, AreNodesOfTheTree) {
  const auto count_flat = [](const generate::SurfaceModel& surface, std::uint32_t faces) {
    const Model model = make_model(surface.vertices, surface.faces);
    std::size_t count = 0;
    for (std::uint32_t i = 0; i < model.tree.size(); ++i) {
      const HullTree::Box& box = model.tree.box(i);
      bool flat = false;
      for (std::size_t k = 0; k < 3; ++k) flat = flat || box.lo[k] == box.hi[k];
      count += flat && model.tree.node(i).faces == faces;
    }
    return count;
  };
  EXPECT_EQ(count_flat(generate::tray({1, 0.75, 0.5}, 2, 6), 72), 5u);
  EXPECT_EQ(count_flat(generate::comb(6, 0.5, 4), 32), 42u);
}

}  // namespace
}  // namespace graze::rigid::flat_regions_test
