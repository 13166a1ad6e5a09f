#include "graze/rigid/body.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "graze/rigid/advance.h"
#include "graze/rigid/distance.h"

namespace graze::rigid::body_test {
namespace {

const std::vector<Vec3> corners = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
const std::vector<Face> tetrahedron = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};

TEST(Body, HoldsTheMeshAndItsSize) {
  const Body body = make_body(corners, tetrahedron);
  EXPECT_EQ(body.status(), Status::ok);
  EXPECT_EQ(body.problem(), "");
  EXPECT_NEAR(body.size(), std::sqrt(3), 1e-15);
  EXPECT_TRUE(
      std::equal(corners.begin(), corners.end(), body.vertices().begin(), body.vertices().end()));
  EXPECT_TRUE(
      std::equal(tetrahedron.begin(), tetrahedron.end(), body.faces().begin(), body.faces().end()));
}

TEST(Body, CopiesShareOneMeshThatOutlivesTheOriginal) {
  static_assert(std::is_nothrow_move_constructible_v<Body>);
  Body body = make_body(corners, tetrahedron);
  const Vec3* const mesh = body.vertices().data();
  const Body copy = body;
  body = Body();
  EXPECT_EQ(copy.vertices().data(), mesh);
  EXPECT_EQ(copy.vertices()[1], Vec3(1, 0, 0));
}

TEST(Body, ADefaultBodyHasNoTriangles) {
  const Body body;
  EXPECT_EQ(body.status(), Status::no_triangles);
  EXPECT_TRUE(body.vertices().empty());
  EXPECT_TRUE(body.faces().empty());
  EXPECT_EQ(body.size(), 0);
}

TEST(Body, AMeshWithoutTrianglesIsReported) {
  const Body body = make_body(corners, {});
  EXPECT_EQ(body.status(), Status::no_triangles);
  EXPECT_EQ(body.problem(), "the mesh has no triangles");
}

TEST(Body, AVertexThatIsNotFiniteIsReported) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double inf = std::numeric_limits<double>::infinity();
  const auto with = [](int axis, double bad) {
    auto vertices = corners;
    vertices[2][axis] = bad;
    const Body body = make_body(vertices, tetrahedron);
    EXPECT_EQ(body.status(), Status::not_finite);
    return body.problem();
  };
  EXPECT_EQ(with(0, inf), "vertex 2 (counted from 0): x is infinite");
  EXPECT_EQ(with(1, nan), "vertex 2 (counted from 0): y is NaN");
  EXPECT_EQ(with(2, -inf), "vertex 2 (counted from 0): z is infinite");
}

TEST(Body, AVertexBeyondTheRangeIsReported) {
  auto vertices = corners;
  vertices[3][0] = -0x1p1001;
  const Body body = make_body(vertices, tetrahedron);
  EXPECT_EQ(body.status(), Status::too_large);
  EXPECT_EQ(body.problem(), "vertex 3 (counted from 0) has a coordinate beyond 2^1000");
}

TEST(Body, AFaceWithAMissingVertexIsReported) {
  auto faces = tetrahedron;
  faces[1][2] = 4;
  const Body body = make_body(corners, faces);
  EXPECT_EQ(body.status(), Status::index_out_of_range);
  EXPECT_EQ(body.problem(), "face 1 (counted from 0) refers to a vertex that does not exist");
}

TEST(Body, TrianglesWithoutAreaAreKeptAndReported) {
  auto faces = tetrahedron;
  faces.push_back({1, 1, 2});
  EXPECT_EQ(make_body(corners, faces).problem(), "face 4 (counted from 0) has no area");
  faces.push_back({3, 3, 3});
  const Body body = make_body(corners, faces);
  EXPECT_EQ(body.status(), Status::ok);
  EXPECT_EQ(body.faces().size(), 6u);
  EXPECT_EQ(body.problem(), "2 triangles have no area; the first is face 4 (counted from 0)");
}

TEST(Body, TrianglesWithoutAreaAreRefusedOnRequest) {
  for (const double scale : {1e-300, 1.0, 1e300}) {
    std::vector<Vec3> vertices = {{0, 0, 0}, {1, 2, 3}, {2, 4, 6}, {1, 2, 4}};
    for (Vec3& v : vertices) v *= scale;
    const std::vector<Face> good = {{0, 1, 3}}, bad = {{0, 1, 3}, {0, 1, 2}};
    const Body refused = make_body(vertices, bad, {.refuse_degenerate = true});
    EXPECT_EQ(refused.status(), Status::degenerate_triangle);
    EXPECT_EQ(refused.problem(), "face 1 (counted from 0) has no area");
    EXPECT_EQ(make_body(vertices, good, {.refuse_degenerate = true}).status(), Status::ok);
  }
}

TEST(Body, EveryQueryOfABodyThatIsNotOkIsInvalid) {
  const Body body = make_body(corners, tetrahedron), bad = make_body(corners, {});
  const Placement at = placement_of({});
  EXPECT_EQ(advance(body, resting({}), bad, resting({})).impact.verdict, Verdict::invalid);
  EXPECT_EQ(advance(bad, resting({}), body, resting({})).impact.verdict, Verdict::invalid);
  EXPECT_EQ(distance(body, at, bad, at).verdict, Verdict::invalid);
  EXPECT_EQ(distance(bad, at, body, at).verdict, Verdict::invalid);
  EXPECT_EQ(contacts_within(body, at, bad, at, 1).verdict, Verdict::invalid);
  EXPECT_EQ(contacts_within(bad, at, body, at, 1).verdict, Verdict::invalid);
}

}  // namespace
}  // namespace graze::rigid::body_test
