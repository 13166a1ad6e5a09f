#include "graze/intersections.h"

#include <gtest/gtest.h>

#include <cmath>

#include "graze/exact/triangle_meet.h"
#include "graze/generate/random.h"

namespace graze {
namespace {

using FacePairs = std::vector<std::array<std::uint32_t, 2>>;

// Face 0 lies in the plane z = 0; face 1 has a corner at `tip`.
FacePairs standing_at(const Vec3& tip) {
  const std::vector<Vec3> positions = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, tip, {1, 2, 5}, {2, 1, 5}};
  return intersecting_faces(make_mesh(6, {{0, 1, 2}, {3, 4, 5}}), positions).faces;
}

TEST(IntersectingFaces, AreDecidedExactly1) {
  const FacePairs both = {{0, 1}};
  EXPECT_EQ(standing_at({1, 1, -1}), both);
  EXPECT_EQ(standing_at({1, 1, 0}), both);  // touching counts
  EXPECT_EQ(standing_at({1, 1, 5e-324}), FacePairs());
  EXPECT_EQ(standing_at({1, 1, -5e-324}), both);
  EXPECT_EQ(standing_at({2, 2, 0}), both);  // on the side
  EXPECT_EQ(standing_at({2, std::nextafter(2, 3), 0}), FacePairs());
  EXPECT_EQ(standing_at({3, 3, -1}), FacePairs());
}

TEST(IntersectingFaces, LeaveOutNeighboursAndStaticFaces) {
  const std::vector<Vec3> positions = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0},
                                       {1, 1, 0}, {1, 2, 5}, {2, 1, 5}};
  const Mesh mesh = make_mesh(6, {{0, 1, 2}, {3, 4, 5}, {0, 3, 4}});
  const std::vector<std::uint8_t> all_static(6, 1), some_static = {1, 1, 1, 0, 1, 1};
  EXPECT_EQ(intersecting_faces(mesh, positions).faces, (FacePairs{{0, 1}}));
  EXPECT_EQ(intersecting_faces(mesh, positions, some_static).faces, (FacePairs{{0, 1}}));
  EXPECT_EQ(intersecting_faces(mesh, positions, all_static).faces, FacePairs());
}

// Compares with integer arithmetic, for lattices in which many pairs just touch, at tiny, ordinary
// and huge scales.
TEST(IntersectingFaces, AreThoseOfIntegersOnAllPairs1) {
  std::size_t crossing = 0, all = 0;
  for (const double scale : {1.0, 0x1p-1074, 0x1p1019}) {
    generate::Random random("crossing", 0, 1, std::uint64_t(std::ilogb(scale) + 1100));
    std::vector<Vec3> lattice;
    std::vector<Face> faces;
    for (std::uint32_t f = 0; f < 60; ++f) {
      for (int k = 0; k < 3; ++k) lattice.push_back(random.lattice(4));
      faces.push_back({3 * f, 3 * f + 1, 3 * f + 2});
    }
    std::vector<Vec3> positions;
    for (const Vec3& x : lattice) positions.push_back(scale * x);
    FacePairs expected;
    const auto integers = [&](const Face& face) {
      exact::IntegerTriangle triangle;
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t k = 0; k < 3; ++k)
          triangle[i][k] = static_cast<std::int64_t>(lattice[face[i]][int(k)]);
      return triangle;
    };
    for (std::uint32_t i = 0; i < faces.size(); ++i)
      for (std::uint32_t j = i + 1; j < faces.size(); ++j)
        if (exact::triangles_meet(integers(faces[i]), integers(faces[j])))
          expected.push_back({i, j});
    EXPECT_EQ(intersecting_faces(make_mesh(positions.size(), faces), positions).faces, expected)
        << scale;
    crossing += expected.size();
    all += faces.size() * (faces.size() - 1) / 2;
  }
  EXPECT_GT(crossing, all / 20);
  EXPECT_LT(crossing, all / 2);
}

TEST(IntersectingFaces, HaveAVerdict3) {
  const Mesh mesh = make_mesh(6, {{0, 1, 2}, {3, 4, 5}});
  std::vector<Vec3> positions = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, 0}, {1, 2, 5}, {2, 1, 5}};
  EXPECT_EQ(intersecting_faces(mesh, positions).verdict, Verdict::contact);
  positions[3][2] = 1;
  EXPECT_EQ(intersecting_faces(mesh, positions).verdict, Verdict::separated);
  const auto expect_invalid = [](const Intersections& result) {
    EXPECT_EQ(result.verdict, Verdict::invalid);
    EXPECT_TRUE(result.faces.empty());
  };
  expect_invalid(intersecting_faces(mesh, std::span(positions).first(5)));
  expect_invalid(intersecting_faces(mesh, positions, std::vector<std::uint8_t>(5)));
  positions[4][1] = Impact::nan;
  expect_invalid(intersecting_faces(mesh, positions));
  positions[4][1] = Impact::inf;
  expect_invalid(intersecting_faces(mesh, positions));
}

}  // namespace
}  // namespace graze
