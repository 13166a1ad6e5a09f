#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "bench/harness/scene.h"
#include "graze/exact/judge/oracle.h"
#include "graze/io/query_files.h"
#include "test/support/data.h"

namespace graze::exact::oracle_data_test {
namespace {

namespace fs = std::filesystem;

struct Expected {
  bool contact;
  double toi, toi_hi;
};

// Reads lines `index,contact,toi_lo,toi_hi` below a header, with hexadecimal doubles.
std::vector<Expected> read_times(const fs::path& path) {
  std::ifstream file(path);
  std::vector<Expected> times;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    const auto contact = line.find(',') + 1, lo = line.find(',', contact) + 1,
               hi = line.find(',', lo) + 1;
    times.push_back(
        {line[contact] == '1', std::strtod(&line[lo], nullptr), std::strtod(&line[hi], nullptr)});
  }
  return times;
}

template <class Query, class Truth>
void expect_truth(std::span<const Query> queries, const Truth& truth, const std::string& set) {
  ASSERT_EQ(queries.size(), truth.size()) << set;
  for (std::size_t i = 0; i < queries.size(); ++i)
    ASSERT_EQ(oracle(queries[i]).verdict, truth[i] ? Verdict::contact : Verdict::separated)
        << set << " query " << i;
}

template <class Query>
void expect_times(std::span<const Query> queries, const fs::path& path) {
  const auto times = read_times(path);
  ASSERT_EQ(queries.size(), times.size()) << path;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const Impact impact = oracle(queries[i]);
    ASSERT_EQ(impact.verdict == Verdict::contact, times[i].contact) << path << " query " << i;
    if (!times[i].contact) continue;
    ASSERT_EQ(impact.toi, times[i].toi) << path << " query " << i;
    ASSERT_EQ(impact.toi_hi, times[i].toi_hi) << path << " query " << i;
  }
}

template <class Query>
void check_query_sets(const std::string& kind, std::size_t expected_sets) {
  std::size_t sets = 0;
  for (const auto& folder : fs::directory_iterator(test::data_folder() / "queries")) {
    const std::string name = folder.path().filename().string();
    const auto set = io::read_queries(folder.path() / (kind + ".csv"));
    const auto queries = set.as<Query>();
    expect_truth(queries, set.truth(), name);
    expect_times(queries, test::data_folder() / "toi" / (name + "." + kind + ".csv"));
    ++sets;
  }
  EXPECT_EQ(sets, expected_sets);
}

TEST(OracleOnData, AgreesWithTheTruthAndTimesOfAllVertexFaceSets) {
  GRAZE_SKIP_WITHOUT_DATA();
  check_query_sets<VertexFace>("vertex-face", 10);
}

TEST(OracleOnData, AgreesWithTheTruthAndTimesOfAllEdgeEdgeSets) {
  GRAZE_SKIP_WITHOUT_DATA();
  check_query_sets<EdgeEdge>("edge-edge", 10);
}

struct SceneCase {
  std::string name;
  bool times;
};

class OracleOnScene : public testing::TestWithParam<SceneCase> {};

TEST_P(OracleOnScene, AgreesWithTheSymbolicSolver) {
  GRAZE_SKIP_WITHOUT_DATA();
  const auto& [name, times] = GetParam();
  const bench::Scene scene = bench::read_scene(test::data_folder() / "scenes" / name);
  const auto vertex_faces = scene.listed_vertex_faces();
  const auto edge_edges = scene.listed_edge_edges();
  expect_truth<VertexFace>(vertex_faces, scene.vertex_face.contact, name);
  expect_truth<EdgeEdge>(edge_edges, scene.edge_edge.contact, name);
  if (!times) return;
  expect_times<VertexFace>(vertex_faces, test::data_folder() / "toi" / (name + ".vf.csv"));
  expect_times<EdgeEdge>(edge_edges, test::data_folder() / "toi" / (name + ".ee.csv"));
}

INSTANTIATE_TEST_SUITE_P(All, OracleOnScene,
                         testing::Values(SceneCase{"armadillo-rollers", true},
                                         SceneCase{"cloth-ball", false},
                                         SceneCase{"cloth-funnel", true}),
                         [](const auto& scene) {
                           std::string name = scene.param.name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace graze::exact::oracle_data_test
