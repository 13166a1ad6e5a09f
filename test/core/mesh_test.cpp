#include "graze/mesh.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "graze/aabb.h"

namespace graze::mesh_test {
namespace {

using Limits = std::numeric_limits<double>;

TEST(Mesh, OrdersEdgesByTheLargerVertexThenTheSmaller) {
  const Mesh mesh = make_mesh(6, {{2, 0, 1}, {3, 1, 2}}, std::vector{Edge{5, 0}, Edge{1, 2}});
  EXPECT_EQ(mesh.edges, (std::vector<Edge>{{0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 3}, {0, 5}}));
  EXPECT_EQ(mesh.edge_id(2), 8u);
  EXPECT_EQ(mesh.face_id(1), 13u);
}

TEST(Mesh, MakesNoEdgeFromAVertexToItself) {
  EXPECT_EQ(make_mesh(2, {{0, 1, 1}}, std::vector{Edge{0, 0}}).edges, (std::vector<Edge>{{0, 1}}));
}

TEST(Mesh, ListsRodsAndPoints) {
  const Mesh mesh = make_mesh(8, {{2, 0, 1}, {4, 4, 3}, {7, 7, 7}},
                              std::vector{Edge{5, 0}, Edge{1, 2}, Edge{0, 5}, Edge{6, 6}});
  EXPECT_EQ(mesh.edges, (std::vector<Edge>{{0, 1}, {0, 2}, {1, 2}, {3, 4}, {0, 5}}));
  EXPECT_EQ(mesh.rods, (std::vector<std::uint32_t>{4}));
  EXPECT_EQ(mesh.points, (std::vector<std::uint32_t>{6, 7}));
}

TEST(Mesh, FindsTheEdgesOfManyFacesAndRods) {
  std::mt19937 random(1);
  for (const std::uint32_t vertices : {3u, 40u, 1000u}) {
    const auto any = [&] { return std::uniform_int_distribution(0u, vertices - 1)(random); };
    std::vector<Face> faces(500);
    std::vector<Edge> rods(200);
    for (Face& face : faces) face = {any(), any(), any() % 2 ? any() : 0};  // 0 has many edges
    for (Edge& rod : rods) rod = {any(), any()};
    std::set<std::array<std::uint32_t, 2>> sides, all;  // the larger vertex first
    for (const Face& face : faces)
      for (std::size_t k = 0; k < 3; ++k)
        sides.insert({std::max(face[k], face[(k + 1) % 3]), std::min(face[k], face[(k + 1) % 3])});
    all = sides;
    for (const auto& [a, b] : rods) all.insert({std::max(a, b), std::min(a, b)});
    std::erase_if(all, [](const auto& edge) { return edge[0] == edge[1]; });

    const Mesh mesh = make_mesh(vertices, faces, rods);
    EXPECT_EQ(mesh.faces, faces);
    ASSERT_EQ(mesh.edges.size(), all.size());
    std::size_t i = 0, rod = 0;
    for (const auto& [larger, smaller] : all) {
      EXPECT_EQ(mesh.edges[i], (Edge{smaller, larger}));
      if (!sides.contains({larger, smaller})) {
        ASSERT_LT(rod, mesh.rods.size());
        EXPECT_EQ(mesh.rods[rod++], i);
      }
      ++i;
    }
    EXPECT_EQ(rod, mesh.rods.size());
  }
}

TEST(EdgeIndices, MapTheEdgesOfTheCaller) {
  const std::vector<Edge> edges = {{5, 0}, {1, 2}, {2, 1}, {3, 4}, {0, 1}, {3, 2}, {4, 4}, {0, 5}};
  const Mesh mesh = make_mesh(6, {{2, 0, 1}, {3, 1, 2}}, std::vector{Edge{5, 0}, Edge{1, 2}});
  const auto indices = edge_indices(mesh, edges);
  ASSERT_EQ(indices.size(), edges.size());
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const Edge sorted = {std::min(edges[i][0], edges[i][1]), std::max(edges[i][0], edges[i][1])};
    const auto place = std::find(mesh.edges.begin(), mesh.edges.end(), sorted);
    EXPECT_EQ(indices[i], place == mesh.edges.end()
                              ? no_edge
                              : static_cast<std::uint32_t>(place - mesh.edges.begin()))
        << i;
  }
  EXPECT_EQ(indices[3], no_edge);
  EXPECT_EQ(indices[0], indices[7]);
  EXPECT_EQ(edge_indices({}, edges)[0], no_edge);
}

TEST(Mesh, ReturnsTheQueriesOfPairs) {
  const Mesh mesh = make_mesh(5, {{2, 0, 1}}, std::vector{Edge{4, 3}});
  std::vector<Vec3> start, end;
  for (int v = 0; v < 5; ++v) {
    start.push_back(Vec3::Constant(v));
    end.push_back(Vec3::Constant(v + 10));
  }
  const auto vertex_face = MovingMesh{mesh, start, end}.vertex_face(3, 0);
  const auto edge_edge = MovingMesh{mesh, start, end}.edge_edge(1, 3);
  const auto vertex_edge = MovingMesh{mesh, start, end}.vertex_edge(2, 3);
  const auto vertex_vertex = MovingMesh{mesh, start, end}.vertex_vertex(1, 4);
  const std::array expected_vertex_face = {3, 2, 0, 1}, expected_edge_edge = {0, 2, 3, 4};
  const std::array expected_vertex_edge = {2, 3, 4};
  const std::array expected_vertex_vertex = {1, 4};
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(vertex_face.start[k][1], expected_vertex_face[k]);
    EXPECT_EQ(vertex_face.end[k][1], expected_vertex_face[k] + 10);
    EXPECT_EQ(edge_edge.start[k][1], expected_edge_edge[k]);
    EXPECT_EQ(edge_edge.end[k][1], expected_edge_edge[k] + 10);
  }
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(vertex_edge.start[k][1], expected_vertex_edge[k]);
    EXPECT_EQ(vertex_edge.end[k][1], expected_vertex_edge[k] + 10);
  }
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_EQ(vertex_vertex.start[k][1], expected_vertex_vertex[k]);
    EXPECT_EQ(vertex_vertex.end[k][1], expected_vertex_vertex[k] + 10);
  }
}

TEST(Mesh, NumbersAllFeaturesTogether) {
  const Mesh mesh = make_mesh(5, {{2, 0, 1}}, std::vector{Edge{4, 3}});
  using Ids = std::array<std::size_t, 2>;
  EXPECT_EQ(feature_ids(mesh, Kind::vertex_face, {3, 0}), (Ids{3, 9}));
  EXPECT_EQ(feature_ids(mesh, Kind::edge_edge, {1, 3}), (Ids{6, 8}));
  EXPECT_EQ(feature_ids(mesh, Kind::vertex_edge, {2, 3}), (Ids{2, 8}));
  EXPECT_EQ(feature_ids(mesh, Kind::vertex_vertex, {1, 4}), (Ids{1, 4}));
}

TEST(Aabb, TouchingBoxesOverlap) {
  const Aabb unit{Vec3::Zero(), Vec3::Ones()};
  EXPECT_TRUE(overlap(unit, {{1, 1, 1}, {2, 2, 2}}));
  EXPECT_FALSE(overlap(unit, {{0, 0, 1 + Limits::epsilon()}, {1, 1, 2}}));
  EXPECT_FALSE(overlap({{0, -2, 0}, {1, -Limits::denorm_min(), 1}}, unit));
}

TEST(Aabb, WithoutSeparationASweptBoxHasTheBitsOfItsEnds) {
  const Aabb box = swept_box({0.1, 2, -3}, {0.3, -2, -3});
  EXPECT_EQ(box.lo, Vec3(0.1, -2, -3));
  EXPECT_EQ(box.hi, Vec3(0.3, 2, -3));
}

TEST(Aabb, ANaNCoordinateSweepsTheWholeAxis) {
  for (const double separation : {0.0, 1.0}) {
    const Aabb box = swept_box({0, Limits::quiet_NaN(), 0}, {1, 1, 1}, separation);
    EXPECT_EQ(box.lo[1], -Limits::infinity());
    EXPECT_EQ(box.hi[1], Limits::infinity());
    EXPECT_LT(box.hi[0], 2);
  }
}

}  // namespace
}  // namespace graze::mesh_test
