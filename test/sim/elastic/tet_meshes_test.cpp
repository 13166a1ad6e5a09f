#include "graze/sim/elastic/material/tet_meshes.h"

#include <gtest/gtest.h>

#include <numbers>

#include "test/support/tet_checks.h"

namespace graze::sim::soft::tet_meshes_test {
namespace {

constexpr double pi = std::numbers::pi;

struct Solid {
  std::string name;
  TetMesh mesh;
  int euler;
  double analytic;
  double shortfall;  // the mesh is inscribed: relative
  std::size_t tets;
};

std::vector<Solid> solids() {
  std::vector<Solid> all;
  for (const auto& cells : {std::array{1u, 1u, 1u}, std::array{2u, 3u, 5u}, std::array{1u, 9u, 1u}})
    all.push_back({"box", box_tets({-1, 0, 2}, {1, 0.5, 2.25}, cells), 2, 0.25, 0,
                   6ul * cells[0] * cells[1] * cells[2]});
  for (const std::uint32_t rings : {1u, 2u, 3u, 6u})
    all.push_back({"ball", ball_tets(2, rings), 2, 4. / 3 * pi * 8, 1.55 / (rings * rings),
                   8ul * rings * rings * rings});
  for (const auto& [along, rings] : {std::pair{3u, 1u}, {12u, 1u}, {24u, 2u}, {48u, 4u}})
    all.push_back({"torus", torus_tets(1.5, 0.5, along, rings), 0, 2 * pi * pi * 1.5 * 0.25,
                   0.2 / (rings * rings) + 6.6 / (along * along), 18ul * rings * rings * along});
  all.push_back({"chain", chain_tets(3, 1, 0.25, 24, 2), 0, 3 * 2 * pi * pi * 0.0625, 0.08,
                 3ul * 18 * 4 * 24});
  return all;
}

TEST(TetMeshes, _1_HavePositiveVolumesThatAddUpToTheSolid) {
  for (const Solid& solid : solids()) {
    const auto counted = test::census(solid.mesh);
    EXPECT_GT(counted.least_volume, 1e-3 * counted.volume / double(solid.tets)) << solid.name;
    EXPECT_EQ(solid.mesh.tets.size(), solid.tets) << solid.name;
    EXPECT_NEAR(counted.volume, volume(solid.mesh), 1e-12) << solid.name;
    EXPECT_LT(counted.volume, solid.analytic * (1 + 1e-12)) << solid.name;
    EXPECT_GT(counted.volume, solid.analytic * (1 - solid.shortfall - 1e-12)) << solid.name;
  }
}

TEST(TetMeshes, _2_ShareEveryInnerFaceBetweenTwoTetrahedra) {
  for (const Solid& solid : solids()) {
    const auto counted = test::census(solid.mesh);
    EXPECT_EQ(counted.crowded_faces, 0u) << solid.name;
    EXPECT_EQ(4 * solid.tets, 2 * counted.inner_faces + counted.boundary_faces) << solid.name;
  }
}

TEST(TetMeshes, _3_AreBoundedByClosedManifoldsOfTheirGenus) {
  for (const Solid& solid : solids()) {
    const auto counted = test::census(solid.mesh);
    EXPECT_TRUE(counted.closed && counted.manifold) << solid.name;
    EXPECT_EQ(counted.euler, solid.euler) << solid.name;
  }
}

TEST(TetMeshes, ChainLinksOfDifferentRingsKeepTheirDistance) {
  const double radius = 1, tube = 0.2;
  const TetMesh chain = chain_tets(4, radius, tube, 40, 2);
  const std::size_t size = chain.positions.size() / 4;
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = i + 1; j < 4; ++j) {
      double nearest = 1e300;
      for (std::size_t a = i * size; a < (i + 1) * size; ++a)
        for (std::size_t b = j * size; b < (j + 1) * size; ++b)
          nearest = std::min(nearest, (chain.positions[a] - chain.positions[b]).norm());
      EXPECT_GT(nearest, 2 * (radius / 3 - tube) - 1e-12) << i << " " << j;
      EXPECT_EQ(nearest < 2 * (radius / 3 - tube) + 0.05, j - i < 3) << i << " " << j;
    }
}

}  // namespace
}  // namespace graze::sim::soft::tet_meshes_test
