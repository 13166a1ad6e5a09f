#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "bench/harness/scene.h"
#include "graze/io/query_files.h"
#include "test/support/data.h"
#include "test/support/inclusion_tally.h"

namespace graze::narrow::tight_inclusion_data_test {
namespace {

using test::expect_kept;
using test::Tally;

// Reads the times that no answer may exceed: `index,contact,toi_lo,toi_hi`, hexadecimal.
std::vector<double> true_times(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::vector<double> times;
  for (std::string line; std::getline(in, line);) {
    int contact;
    if (std::sscanf(line.c_str(), "%*d,%d", &contact) != 1) continue;
    const auto comma = line.find(',', line.find(',') + 1);
    times.push_back(contact == 1 ? std::strtod(line.c_str() + comma + 1, nullptr) : Impact::inf);
  }
  return times;
}

template <class Query>
void judge_data(const std::string& kind, const Options& options, Tally& tally) {
  for (const auto& set : std::filesystem::directory_iterator(test::data_folder() / "queries")) {
    const auto name = set.path().filename().string();
    SCOPED_TRACE(name);
    const auto file = io::read_queries(set.path() / (kind + ".csv"));
    const auto times = true_times(test::data_folder() / "toi" / (name + "." + kind + ".csv"));
    const auto queries = file.as<Query>();
    ASSERT_EQ(times.size(), queries.size());
    for (std::size_t i = 0; i < queries.size(); ++i) {
      const bool hit = file.truth()[i] != 0;
      ASSERT_EQ(hit, times[i] != Impact::inf);
      const Impact truth = hit ? Impact::contact(times[i], times[i]) : Impact::separated();
      test::judge(queries[i], options, test::solve_tightly(queries[i], options), truth, tally);
    }
  }
}

TEST(TightInclusionOnData, Promises1And2HoldOnTheQuerySets) {
  GRAZE_SKIP_WITHOUT_DATA();
  for (const std::uint32_t max_checks : {100u, 1000000u}) {
    Options options;
    options.max_checks = max_checks;
    Tally vertex_face, edge_edge;
    judge_data<VertexFace>("vertex-face", options, vertex_face);
    judge_data<EdgeEdge>("edge-edge", options, edge_edge);
    test::print("vertex-face data", vertex_face);
    test::print("edge-edge data", edge_edge);
    expect_kept(vertex_face);
    expect_kept(edge_edge);
    EXPECT_EQ(vertex_face.queries + edge_edge.queries, 2429u);
  }
}

// Times are known for two of the scenes; for the others only the verdict is known.
template <class Query>
void judge_pairs(const std::vector<Query>& queries, const std::vector<std::uint8_t>& contact,
                 const std::filesystem::path& toi_file, Tally& tally) {
  const auto times = true_times(toi_file);
  ASSERT_TRUE(times.empty() || times.size() == queries.size());
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const double toi = times.empty() ? 1 : times[i];
    const Impact truth = contact[i] ? Impact::contact(toi, toi) : Impact::separated();
    test::judge(queries[i], {}, test::solve_tightly(queries[i]), truth, tally);
  }
}

TEST(TightInclusionOnData, Promises1And2HoldOnTheScenes) {
  GRAZE_SKIP_WITHOUT_DATA();
  Tally tally;
  for (const char* name : {"armadillo-rollers", "cloth-ball", "cloth-funnel"}) {
    const bench::Scene scene = bench::read_scene(test::data_folder() / "scenes" / name);
    const auto vertex_faces = scene.listed_vertex_faces();
    const auto edge_edges = scene.listed_edge_edges();
    const auto toi = (test::data_folder() / "toi" / name).string();
    judge_pairs(vertex_faces, scene.vertex_face.contact, toi + ".vf.csv", tally);
    judge_pairs(edge_edges, scene.edge_edge.contact, toi + ".ee.csv", tally);
  }
  test::print("scenes", tally);
  expect_kept(tally);
  EXPECT_EQ(tally.queries, 138179u);
}

}  // namespace
}  // namespace graze::narrow::tight_inclusion_data_test
