#include "graze/io/meshes/step_files.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "graze/io/queries/query_npy.h"
#include "graze/io/query_files.h"
#include "test/support/meshes.h"
#include "test/support/scratch_folder.h"

namespace graze::io::step_files_test {
namespace {

using StepFiles = test::ScratchFolder;

TEST_F(StepFiles, ListContactsByFeatureNumber) {
  const Mesh mesh = make_mesh(6, {{0, 1, 2}}, std::vector{Edge{3, 4}});  // 4 edges, 1 point
  const auto impact = [](Kind kind, Pair pair, double toi) {
    StepImpact found{kind, pair, Impact::contact(toi, toi)};
    found.impact.normal = Vec3(0, 0, 1);
    return found;
  };
  std::vector<StepImpact> impacts = {
      impact(Kind::vertex_face, {5, 0}, 0.1), impact(Kind::edge_edge, {0, 3}, 0.25),
      impact(Kind::vertex_edge, {5, 3}, 0.5), impact(Kind::vertex_vertex, {4, 5}, 1)};
  impacts[0].impact.u = 1.0 / 3;
  impacts.push_back({Kind::edge_edge, {1, 3}, Impact::undecided(1, 1)});
  write_contacts(folder / "c.csv", mesh, impacts);
  std::ostringstream text;
  text << std::ifstream(folder / "c.csv").rdbuf();
  EXPECT_EQ(text.str(),
            "kind,a,b,toi,toi_hi,u,v,nx,ny,nz\n"
            "vertex-face,5,10,0.1,0.1,0.3333333333333333,nan,0,0,1\n"
            "edge-edge,6,9,0.25,0.25,nan,nan,0,0,1\n"
            "vertex-edge,5,9,0.5,0.5,nan,nan,0,0,1\n"
            "vertex-vertex,4,5,1,1,nan,nan,0,0,1\n");
  EXPECT_THROW(write_contacts(folder / "nowhere" / "c.csv", mesh, impacts), FileError);
}

TEST_F(StepFiles, HoldTheQueriesOfPairs) {
  const OwnedMotion motion = test::random_mesh(test::mesh_families[1], 60, 1);
  const Pairs pairs = collect_pairs(motion.moving(), {}, {}, *find_pair_strategy("brute_force"));
  ASSERT_GT(pairs.edge_edge.size(), 8192u) << "more than a piece";
  ASSERT_GT(pairs.vertex_edge.size(), 10u);
  write_pair_queries(folder / "new" / "queries", motion.moving(), pairs);
  const QuerySet vertex_face = read_queries(folder / "new" / "queries" / "vertex-face.npy");
  const QuerySet edge_edge = read_queries(folder / "new" / "queries" / "edge-edge.npy");
  EXPECT_EQ(vertex_face.size(),
            pairs.vertex_face.size() + pairs.vertex_edge.size() + pairs.vertex_vertex.size());
  ASSERT_EQ(edge_edge.size(), pairs.edge_edge.size());
  for (std::size_t i = 0; i < pairs.edge_edge.size(); ++i) {
    const auto [a, b] = pairs.edge_edge[i];
    const EdgeEdge expected = motion.moving().edge_edge(a, b);
    const EdgeEdge& read = edge_edge.as<EdgeEdge>()[i];
    ASSERT_TRUE(read.start == expected.start && read.end == expected.end) << i;
  }
  for (const std::size_t count : {std::size_t{0}, std::size_t{9}, ~std::size_t{0}})
    EXPECT_EQ(query_npy_header(count).size(), 128u);
  const auto [point, rod] = pairs.vertex_edge[0];
  const VertexFace& first = vertex_face.as<VertexFace>()[pairs.vertex_face.size()];
  EXPECT_EQ(first.start[0], motion.start[point]);
  EXPECT_EQ(first.end[3], motion.end[motion.mesh.edges[rod][1]]);
}

TEST_F(StepFiles, HoldTheQueriesOfSeveralMotionsInOrder) {
  const OwnedMotion motion = test::random_mesh(test::mesh_families[1], 8, 1);
  const Pairs pairs = collect_pairs(motion.moving());
  const MovingMesh back{motion.mesh, motion.end, motion.start};
  {
    PairQueryFiles abandoned(folder);
    abandoned.add(motion.moving(), pairs);
  }
  EXPECT_EQ(files(), 0u);
  PairQueryFiles written(folder);
  written.add(motion.moving(), pairs);
  written.add(back, pairs);
  written.commit();
  EXPECT_EQ(files(), 2u);
  const QuerySet edge_edge = read_queries(folder / "edge-edge.npy");
  const std::size_t half = pairs.edge_edge.size();
  ASSERT_GT(half, 0u);
  ASSERT_EQ(edge_edge.size(), 2 * half);
  EXPECT_EQ(written.edge_edges(), 2 * half);
  EXPECT_EQ(written.vertex_faces(), read_queries(folder / "vertex-face.npy").size());
  const auto queries = edge_edge.as<EdgeEdge>();
  for (std::size_t i = 0; i < half; ++i) {
    EXPECT_EQ(queries[i].start, queries[half + i].end);
    EXPECT_EQ(queries[i].end, queries[half + i].start);
  }
}

}  // namespace
}  // namespace graze::io::step_files_test
