#include "graze/rigid/model/decomposition.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "graze/generate/models.h"
#include "test/rigid/exact_polytope.h"

namespace graze::rigid::decomposition_test {
namespace {

using test::operator-;

SurfaceDecomposition decomposed(const generate::SurfaceModel& model,
                                std::uint32_t max_faces = 4096) {
  return decompose_surface(model.vertices, model.faces, max_faces);
}

TEST(Decomposition, Promise1PiecesAreConvex) {
  for (const generate::SurfaceModel& model :
       {generate::torus_knot(60, 12), generate::ring(30, 10), generate::bumpy_figure(24, 16),
        generate::l_shape(), scaled(generate::torus_knot(20, 6), 1e300)}) {
    const SurfaceDecomposition parts = decomposed(model);
    double largest = 0;
    for (const Vec3& v : model.vertices) largest = std::max(largest, v.cwiseAbs().maxCoeff());
    const test::Rational tol_sq = test::Rational(largest * 0x1p-39) * (largest * 0x1p-39);
    std::map<std::uint32_t, std::set<std::uint32_t>> corners;
    for (std::size_t f = 0; f < model.faces.size(); ++f)
      corners[parts.piece[f]].insert(model.faces[f].begin(), model.faces[f].end());
    for (std::size_t f = 0; f < model.faces.size(); ++f) {
      const auto corner = [&](std::size_t k) {
        return test::rational(model.vertices[model.faces[f][k]]);
      };
      const test::RationalVec n = test::cross(corner(1) - corner(0), corner(2) - corner(0));
      for (const std::uint32_t v : corners[parts.piece[f]]) {
        const test::Rational height = test::dot(n, test::rational(model.vertices[v]) - corner(0));
        ASSERT_TRUE(height <= 0 || height * height <= tol_sq * test::dot(n, n));
      }
    }
  }
}

TEST(Decomposition, Promise2PiecesAreConnectedAcrossEdges) {
  const generate::SurfaceModel model = generate::torus_knot(40, 8);
  const SurfaceDecomposition parts = decomposed(model);
  std::vector<std::set<Edge>> edges(parts.pieces);
  std::vector<std::size_t> shared(parts.pieces), faces(parts.pieces);
  for (std::size_t f = 0; f < model.faces.size(); ++f)
    for (std::size_t k = 0; k < 3; ++k) {
      const auto [a, b] = std::minmax(model.faces[f][k], model.faces[f][(k + 1) % 3]);
      shared[parts.piece[f]] += !edges[parts.piece[f]].insert({a, b}).second;
      faces[parts.piece[f]] += k == 0;
    }
  for (std::size_t p = 0; p < parts.pieces; ++p) EXPECT_GE(shared[p] + 1, faces[p]);
}

TEST(Decomposition, Promise2ASoupIsOnePiecePerTriangle) {
  EXPECT_EQ(decomposed(generate::soup(50, 0.3, 4)).pieces, 50u);
  // The same faces with corners of their own, and with one turned over.
  generate::SurfaceModel cube = generate::box({1, 1, 1}), turned = cube, apart;
  for (const Face& face : cube.faces) {
    const auto n = static_cast<std::uint32_t>(apart.vertices.size());
    for (const std::uint32_t v : face) apart.vertices.push_back(cube.vertices[v]);
    apart.faces.push_back({n, n + 1, n + 2});
  }
  EXPECT_EQ(decomposed(apart).pieces, 12u);
  std::swap(turned.faces[5][0], turned.faces[5][1]);
  EXPECT_EQ(decomposed(turned).pieces, 2u);
  // Three faces at one edge.
  EXPECT_EQ(decomposed({{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, -1, -1}},
                        {{0, 1, 2}, {1, 0, 3}, {1, 0, 4}}})
                .pieces,
            3u);
}

TEST(Decomposition, Promise2TrianglesWithoutAreaStayAlone) {
  EXPECT_EQ(
      decomposed({{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, 1, 0}}, {{0, 1, 2}, {1, 0, 3}}}).pieces,
      2u);
}

TEST(Decomposition, Promise3LimitsTheFacesOfAPiece) {
  const SurfaceDecomposition parts = decomposed(generate::box({1, 1, 1}), 5);
  std::map<std::uint32_t, int> faces;
  for (const std::uint32_t piece : parts.piece) ++faces[piece];
  for (const auto& [piece, count] : faces) EXPECT_LE(count, 5);
  EXPECT_GE(parts.pieces, 3u);
}

TEST(Decomposition, AConvexModelIsOnePieceAndAnLHasTwo) {
  EXPECT_EQ(decomposed(generate::box({1, 2, 3})).pieces, 1u);
  EXPECT_EQ(decomposed(generate::tetrahedron()).pieces, 1u);
  EXPECT_GE(decomposed(generate::l_shape()).pieces, 2u);
  EXPECT_LE(decomposed(generate::l_shape()).pieces, 4u);
}

}  // namespace
}  // namespace graze::rigid::decomposition_test
