#include "graze/sim/elastic/material/embedding.h"

#include <gtest/gtest.h>

#include <limits>

#include "graze/generate/models.h"
#include "graze/io/mesh_files.h"
#include "test/support/data.h"
#include "test/support/tet_checks.h"

namespace graze::sim::soft::embedding_test {
namespace {

// Expects promise (1) and the second half of (2).
void expect_sound(const Embedding& embedding, std::span<const Vec3> vertices) {
  const auto& [cage, surface] = embedding;
  ASSERT_EQ(surface.vertices.size(), vertices.size());
  const auto points = carried(surface, cage.tets, cage.positions);
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const auto& [tet, w] = surface.vertices[i];
    ASSERT_LT(tet, cage.tets.size());
    EXPECT_GE(*std::min_element(w.begin(), w.end()), 0);
    EXPECT_NEAR(w[0] + w[1] + w[2] + w[3], 1, 1e-15);
    EXPECT_LT((points[i] - vertices[i]).norm(), 1e-14);
  }
  const auto counted = test::census(cage);
  EXPECT_GT(counted.least_volume, 0);
  EXPECT_EQ(counted.crowded_faces, 0u);
  EXPECT_EQ(4 * cage.tets.size(), 2 * counted.inner_faces + counted.boundary_faces);
}

double enclosed(const generate::SurfaceModel& model) {
  return generate::six_volumes(model) / 6;
}

TEST(Embedding, _1_PutsEveryVertexInATetrahedron) {
  for (const generate::ModelRecipe& recipe : generate::model_recipes()) {
    if (!recipe.closed) continue;
    const generate::SurfaceModel model = recipe.make();
    if (model.faces.size() > 4000) continue;
    for (const double cell : {0.3, 0.11}) {
      SCOPED_TRACE(recipe.name);
      expect_sound(embed(model.vertices, model.faces, cell), model.vertices);
    }
  }
}

TEST(Embedding, _2_CoversTheSurfaceAndItsInsideAndLittleElse) {
  const generate::SurfaceModel model =
      generate::ring(64, 24);  // 2 pi^2 / 16 = 1.23, surface 4 pi^2 / 4 = 9.9
  double before = 1e300;
  for (const double cell : {0.2, 0.1, 0.05}) {
    const double volume = test::census(embed(model.vertices, model.faces, cell).cage).volume;
    EXPECT_GT(volume, enclosed(model));
    EXPECT_LT(volume, enclosed(model) + 9.9 * 1.6 * cell);
    EXPECT_LT(volume, before);
    before = volume;
  }
  // The hole is not filled: no tetrahedron is on the axis.
  for (const Vec3& x : embed(model.vertices, model.faces, 0.1).cage.positions)
    EXPECT_GT(x.head<2>().norm(), 0.5);
}

TEST(Embedding, _2_OpenSurfacesEncloseNothing) {
  generate::SurfaceModel model = generate::box({1, 1, 1});
  const double cell = 0.1;
  const auto cubes = [&] { return embed(model.vertices, model.faces, cell).cage.tets.size() / 6; };
  const std::size_t closed = cubes();
  model.faces.erase(model.faces.begin());
  EXPECT_GT(closed, 20u * 20 * 20);
  EXPECT_LT(cubes(), 6u * 22 * 22 * 2);
}

TEST(Embedding, _3_IsEmptyForSurfacesThatCannotBeEmbedded) {
  generate::SurfaceModel model = generate::box({1, 1, 1});
  EXPECT_TRUE(embed(model.vertices, model.faces, 1e-9).surface.vertices.empty());
  EXPECT_TRUE(embed(model.vertices, model.faces, 5e-324).surface.vertices.empty());
  EXPECT_FALSE(embed(model.vertices, model.faces, 1e300).surface.vertices.empty());
  EXPECT_TRUE(embed({}, {}, 1).cage.tets.empty());
  model.faces.push_back({0, 1, 8});
  EXPECT_TRUE(embed(model.vertices, model.faces, 1).surface.vertices.empty());
  model.faces.pop_back();
  model.vertices[0][1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(embed(model.vertices, model.faces, 1).surface.vertices.empty());
  const std::vector<Vec3> far = {{-1.7e308, 0, 0}, {1.7e308, 1.7e308, 0}, {0, 0, 1e308}};
  EXPECT_TRUE(embed(far, std::vector<Face>{{0, 1, 2}}, 1e300).surface.vertices.empty());
}

TEST(Embedding, ASingleVertexOnALatticePointIsInside) {
  const std::vector<Vec3> point = {{1, 2, 3}};
  const Embedding embedding = embed(point, {}, 0.5);
  EXPECT_EQ(embedding.cage.tets.size(), 6u);
  EXPECT_EQ(carried(embedding.surface, embedding.cage.tets, embedding.cage.positions)[0], point[0]);
}

TEST(Embedding, FollowsAnAffineMotionOfTheTetrahedraExactly) {
  const generate::SurfaceModel model = generate::find_model_recipe("small_knot")->make();
  Embedding embedding = embed(model.vertices, model.faces, 0.2);
  Eigen::Matrix3d shear;
  shear << 1.5, 0.25, 0, -0.5, 1, 0.125, 0, 0.75, 0.5;
  const Vec3 shift(3, -2, 1);
  for (Vec3& x : embedding.cage.positions) x = shear * x + shift;
  const auto points = carried(embedding.surface, embedding.cage.tets, embedding.cage.positions);
  for (std::size_t i = 0; i < points.size(); ++i)
    EXPECT_LT((points[i] - (shear * model.vertices[i] + shift)).norm(), 1e-13);
}

TEST(Embedding, AForceOnTheSurfaceDoesTheSameWorkOnTheTetrahedra) {
  const generate::SurfaceModel model = generate::find_model_recipe("small_knot")->make();
  const Embedding embedding = embed(model.vertices, model.faces, 0.2);
  const auto& [cage, surface] = embedding;
  std::vector<Vec3> displacement;
  for (const Vec3& x : cage.positions)
    displacement.push_back({x[1] * x[2], x[0] * x[0], x[0] - x[1]});
  const auto moved = carried(surface, cage.tets, displacement);
  std::vector<Vec3> forces(cage.positions.size(), Vec3::Zero());
  double work = 0;
  for (std::size_t i = 0; i < moved.size(); ++i) {
    const Vec3 force(double(i % 3), 1, double(i % 7) - 3);
    work += force.dot(moved[i]);
    for (std::size_t k = 0; k < 4; ++k)
      forces[cage.tets[surface.vertices[i].tet][k]] += surface.vertices[i].weights[k] * force;
  }
  double same = 0;
  for (std::size_t v = 0; v < forces.size(); ++v) same += forces[v].dot(displacement[v]);
  EXPECT_NEAR(work, same, 1e-11);
}

TEST(Embedding, HoldsTheFigureSpot) {
  GRAZE_SKIP_WITHOUT_DATA();
  const io::MeshFrame spot = io::read_mesh(test::data_folder() / "models/spot.obj");
  const Embedding embedding = embed(spot.positions, spot.mesh.faces, 0.12);
  expect_sound(embedding, spot.positions);
  const double inside = enclosed({spot.positions, spot.mesh.faces});
  const double volume = test::census(embedding.cage).volume;
  std::cout << "  " << embedding.cage.positions.size() << " vertices, "
            << embedding.cage.tets.size() << " tetrahedra, " << volume / inside
            << " times the volume of spot\n";
  EXPECT_GT(volume, std::abs(inside));
}

}  // namespace
}  // namespace graze::sim::soft::embedding_test
