#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "bench/harness/scene.h"
#include "graze/io/query_files.h"
#include "test/support/data.h"
#include "test/support/workload.h"

namespace graze::test {

// Returns the queries with the answers of the exact method as their truth. Other tests compare the
// exact method with the truth of the data.
template <class Query>
Workload<Query> exact_workload(std::vector<Query> queries) {
  auto truth = answers(*find_method("exact"), queries);
  return {std::move(queries), std::move(truth)};
}

// Calls check(name, queries) for every query set of the data, vertex-face and edge-edge.
template <class Check>
void for_each_query_set(Check&& check) {
  for (const auto& set : std::filesystem::directory_iterator(data_folder() / "queries")) {
    const auto read = [&]<class Query>(const char* kind, Query) {
      const auto file = io::read_queries(set.path() / kind);
      const auto queries = file.template as<Query>();
      const std::string name = set.path().filename().string() + '/' + kind;
      check(name, std::vector<Query>(queries.begin(), queries.end()));
    };
    read("vertex-face.csv", VertexFace{});
    read("edge-edge.csv", EdgeEdge{});
  }
}

// Calls check(name, queries) for every `stride`-th listed pair of each scene.
template <class Check>
void for_each_scene(std::size_t stride, Check&& check) {
  for (const char* name : {"armadillo-rollers", "cloth-ball", "cloth-funnel"}) {
    const bench::Scene scene = bench::read_scene(data_folder() / "scenes" / name);
    check(std::string(name), scene.listed_vertex_faces(stride));
    check(std::string(name), scene.listed_edge_edges(stride));
  }
}

// Checks the promises of a conservative method on the data. Returns the number of queries.
inline std::size_t expect_promises_on_data(const Method& method, const Options& options,
                                           std::size_t stride) {
  std::size_t asked = 0;
  const auto check = [&](const std::string& name, auto queries) {
    SCOPED_TRACE(name);
    asked += queries.size();
    expect_promises(method, options, exact_workload(std::move(queries)));
  };
  for_each_query_set(check);
  for_each_scene(stride, check);
  return asked;
}

}  // namespace graze::test
