#include "bench/polyhedron_suite.h"

#include <gtest/gtest.h>

#include "test/support/scratch_folder.h"

namespace graze::bench {
namespace {

using PolyhedronSuite = test::ScratchFolder;

TEST_F(PolyhedronSuite, TracesWaysThroughWorldsWithoutFaults) {
  Request request;
  request.paths = {folder};  // no data there
  request.count = 40;
  request.seconds = 0.001;
  const Result result = find_suite("polyhedron")->run(request, {});
  std::size_t contacts = 0, own = 0;
  for (const auto& row : result.json["rows"]) {
    if (!row["method"].get<std::string>().starts_with("graze")) continue;
    ++own;
    contacts += row["contacts"].get<std::size_t>();
    for (const char* fault : {"missed", "late", "phantom", "early"})
      EXPECT_EQ(row[fault].get<int>(), 0) << row;
  }
  EXPECT_GE(own, 18u);  // two worlds, three movers, three ways to ask or more
  EXPECT_GT(contacts, 20u);
}

TEST_F(PolyhedronSuite, RefusesWhatItDoesNotMeasure) {
  Request request;
  request.kind = Kind::edge_edge;
  EXPECT_THROW(run_polyhedron(request, {}), std::invalid_argument);
  request.kind.reset();
  request.count = 0;
  EXPECT_THROW(run_polyhedron(request, {}), std::invalid_argument);
}

}  // namespace
}  // namespace graze::bench
