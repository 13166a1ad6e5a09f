#include "graze/rigid/rigid_model.h"

#include <gtest/gtest.h>

#include <limits>

namespace graze {
namespace {

const std::vector<Vec3> corners = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
const std::vector<Face> tetrahedron = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};

TEST(RigidModel, TellsItsSizeAndHasNoProblem) {
  const RigidModel model = make_rigid_model(corners, tetrahedron);
  EXPECT_TRUE(model.valid());
  EXPECT_EQ(model.problem(), "");
  EXPECT_NEAR(model.size, std::sqrt(3), 1e-15);
  EXPECT_EQ(model.tree.nodes.size(), 7u);
}

TEST(RigidModel, NamesAMeshWithoutTriangles) {
  const RigidModel model = make_rigid_model(corners, {});
  EXPECT_EQ(model.fault, ModelFault::no_triangles);
  EXPECT_EQ(model.problem(), "the mesh has no triangles");
  EXPECT_TRUE(model.tree.nodes.empty());
}

TEST(RigidModel, NamesTheVertexThatIsNotFinite) {
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    auto vertices = corners;
    vertices[2][1] = bad;
    const RigidModel model = make_rigid_model(vertices, tetrahedron);
    EXPECT_EQ(model.fault, ModelFault::not_finite);
    EXPECT_EQ(model.problem(), "vertex 2 is not finite");
  }
}

TEST(RigidModel, NamesTheVertexThatIsTooFarOut) {
  auto vertices = corners;
  vertices[3][0] = -0x1p1001;
  EXPECT_EQ(make_rigid_model(vertices, tetrahedron).problem(),
            "vertex 3 has a coordinate beyond 2^1000");
}

TEST(RigidModel, NamesTheFaceWithoutItsVertex) {
  auto faces = tetrahedron;
  faces[1][2] = 4;
  const RigidModel model = make_rigid_model(corners, faces);
  EXPECT_EQ(model.fault, ModelFault::index_out_of_range);
  EXPECT_EQ(model.problem(), "face 1 names a vertex that is not there");
}

TEST(RigidModel, KeepsTrianglesWithoutAreaAndTellsOfThem) {
  auto faces = tetrahedron;
  faces.push_back({1, 1, 2});
  faces.push_back({3, 3, 3});
  const RigidModel model = make_rigid_model(corners, faces);
  EXPECT_TRUE(model.valid());
  EXPECT_EQ(model.degenerate, 2u);
  EXPECT_EQ(model.problem(), "2 triangles have no area, the first is face 4");
}

TEST(RigidModel, RefusesTrianglesWithoutAreaWhereAsked) {
  for (const double scale : {1e-300, 1.0, 1e300}) {
    std::vector<Vec3> vertices = {{0, 0, 0}, {1, 2, 3}, {2, 4, 6}, {1, 2, 4}};
    for (Vec3& v : vertices) v *= scale;
    EXPECT_EQ(
        make_rigid_model(vertices, {{0, 1, 3}, {0, 1, 2}}, {.refuse_degenerate = true}).problem(),
        "face 1 has no area");
    EXPECT_TRUE(make_rigid_model(vertices, {{0, 1, 3}}, {.refuse_degenerate = true}).valid());
  }
}

}  // namespace
}  // namespace graze
