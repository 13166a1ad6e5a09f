#include "bench/suites/edges/edge_suite.h"

#include <gtest/gtest.h>

#include <cmath>

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
    EXPECT_LE(row["impulses_on_whole_step"].get<int>(), row["impulses"].get<int>());
    EXPECT_EQ(row["crossings"].get<int>(), 0);
  }
  std::size_t judged = 0;
  for (const auto& bar : json["bars"])
    if (!bar["measured"].is_null()) {
      ++judged;
      EXPECT_TRUE(bar["met"].get<bool>()) << bar;
    }
  EXPECT_EQ(judged, 6u);  // crossings, energy, momentum, angular momentum, buckling, deflection
  const std::string html = result.report.html();
  EXPECT_NE(html.find("energy in joule"), std::string::npos);
  EXPECT_NE(html.find("deflection over length over M L / (E I)"), std::string::npos);

  // Edges without springs have no impulse on a whole step; the judgement is of many impulses.
  EXPECT_GT(json["edge_momentum"]["impulses"].get<int>(), 10);
  EXPECT_EQ(json["edge_momentum"]["impulses_at_impact"], json["edge_momentum"]["impulses"]);
  // The curve of theory begins at 0 and rises as the root of the distance from buckling.
  const auto& twist = json["twist"];
  ASSERT_EQ(twist.size(), 8u);
  for (const auto& row : twist)
    EXPECT_EQ(row["theory"].get<double>() > 0, row["moment"].get<double>() > 8.98682) << row;
  EXPECT_NEAR(twist[7]["theory"].get<double>() / twist[4]["theory"].get<double>(), std::sqrt(10),
              1e-9);
  EXPECT_NEAR(twist[4]["theory"].get<double>(), 0.00826732, 1e-7);
}

TEST(EdgeSuite, RefusesACountOfZero) {
  Request request;
  request.count = 0;
  EXPECT_THROW(run_edges(request, {}), std::invalid_argument);
}

}  // namespace
}  // namespace graze::bench::edge_suite_test
