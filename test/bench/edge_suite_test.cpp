#include "bench/suites/edges/edge_suite.h"

#include <gtest/gtest.h>

namespace graze::bench::edge_suite_test {
namespace {

TEST(EdgeSuite, MeasuresFramesAndKeepsItsBars) {
  Request request;
  request.count = 200;
  request.seconds = 0.1;
  const Result result = find_suite("edges")->run(request, {});
  const auto json = json_of(result);
  ASSERT_EQ(json["rows"].size(), 2u);
  for (const auto& row : json["rows"]) {
    EXPECT_GT(row["frame_ns"].get<double>(), 0);
    EXPECT_GT(row["impulses"].get<int>(), 0);
    EXPECT_EQ(row["crossings"].get<int>(), 0);
  }
  std::size_t judged = 0;
  for (const auto& bar : json["bars"])
    if (!bar["measured"].is_null()) {
      ++judged;
      EXPECT_TRUE(bar["met"].get<bool>()) << bar;
    }
  EXPECT_EQ(judged, 4u);  // crossings, energy, momentum, buckling
  EXPECT_NE(result.report.html().find("energy in joule"), std::string::npos);
}

TEST(EdgeSuite, RefusesACountOfZero) {
  Request request;
  request.count = 0;
  EXPECT_THROW(run_edges(request, {}), std::invalid_argument);
}

}  // namespace
}  // namespace graze::bench::edge_suite_test
