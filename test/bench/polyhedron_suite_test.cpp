#include "bench/suites/polyhedron/polyhedron_suite.h"

#include <gtest/gtest.h>

#include "test/support/scratch_folder.h"

namespace graze::bench::polyhedron_suite_test {
namespace {

using PolyhedronSuite = test::ScratchFolder;

TEST_F(PolyhedronSuite, TracesWaysThroughWorldsWithoutFaults) {
  Request request;
  request.paths = {folder};  // it holds no data
  request.count = 40;
  request.seconds = 0.001;
  const Result result = find_suite("polyhedron")->run(request, {});
  const auto json = json_of(result);
  std::size_t contacts = 0, own = 0;
  for (const auto& row : json["rows"]) {
    if (!row["method"].get<std::string>().starts_with("graze")) continue;
    ++own;
    contacts += row["contacts"].get<std::size_t>();
    for (const char* fault : {"missed", "late", "phantom", "early"})
      EXPECT_EQ(row[fault].get<int>(), 0) << row;
  }
  EXPECT_GE(own, 18u);  // two worlds, three movers, at least three variants
  EXPECT_GT(contacts, 20u);
}

TEST_F(PolyhedronSuite, RefusesACountOfZero) {
  Request request;
  request.count = 0;
  EXPECT_THROW(run_polyhedron(request, {}), std::invalid_argument);
}

}  // namespace
}  // namespace graze::bench::polyhedron_suite_test
