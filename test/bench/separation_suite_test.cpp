#include "bench/suites/separation/separation_suite.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>

#include "test/support/scratch_folder.h"

namespace graze::bench::separation_suite_test {
namespace {

class SeparationSuite : public test::ScratchFolder {};

TEST_F(SeparationSuite, JudgesEveryMethodThatKeepsADistanceInItsOwnNorm) {
  const char* data = std::getenv("GRAZE_DATA");
  const std::string before = data ? data : "";
  setenv("GRAZE_DATA", folder.c_str(), 1);
  Request request;
  request.count = 60;
  request.seconds = 0.001;
  const Result result = run_separation(request, {});
  const auto json = json_of(result);
  data ? setenv("GRAZE_DATA", before.c_str(), 1) : unsetenv("GRAZE_DATA");

  EXPECT_EQ(json["missing"].size(), 4);  // three scenes and the handcrafted queries
  std::size_t exact = 0;
  for (const auto& row : json["rows"]) {
    const Method& method = *find_method(row["method"].get<std::string>());
    EXPECT_EQ(row["norm"], name(method.norm));
    if (method.guarantee == Guarantee::heuristic) continue;
    EXPECT_EQ(row["false_negatives"], 0) << row;
    EXPECT_EQ(row["late"], 0) << row;
    if (method.guarantee != Guarantee::exact) continue;
    EXPECT_EQ(row["false_positives"], 0) << row;
    ++exact;
  }
  EXPECT_EQ(exact, 2 * 2 * 3);  // two norms, two kinds, three distances

  // Two ratios for each kind and distance, and for each norm the slowest and the wrong answers.
  const auto& bars = json["bars"];
  ASSERT_EQ(bars.size(), 2 * 2 * 3 + 2 * 2);
  for (const auto& bar : bars) {
    EXPECT_TRUE(bar["measured"].is_number()) << bar;
    EXPECT_TRUE(bar["unit"] != "" || bar["met"].get<bool>()) << bar;
  }
}

TEST_F(SeparationSuite, RefusesMethodsWithoutASeparationAndOtherKinds) {
  Request request;
  request.methods = {find_method("exact")};
  EXPECT_THROW(run_separation(request, {}), std::invalid_argument);
  request.methods.clear();
  request.kind = Kind::vertex_edge;
  EXPECT_THROW(run_separation(request, {}), std::invalid_argument);
}

}  // namespace
}  // namespace graze::bench::separation_suite_test
