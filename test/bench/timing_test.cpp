#include "bench/harness/timing.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <thread>

namespace graze::bench::timing_test {
namespace {

TEST(Median, LiesInTheMiddle) {
  EXPECT_TRUE(std::isnan(median({})));
  EXPECT_EQ(median({7}), 7);
  EXPECT_EQ(median({9, 1, 5}), 5);
  EXPECT_EQ(median({9, 1, 5, 2}), 3.5);
}

TEST(TimeInTurns, RunsEveryPassEquallyOftenAndInTurn) {
  for (const double seconds : {0.0, 10.0}) {
    std::string order;
    const std::vector<std::function<void()>> passes = {[&] { order += 'a'; },
                                                       [&] { order += 'b'; }};
    EXPECT_EQ(time_in_turns(passes, seconds).size(), 2u);
    EXPECT_EQ(order.size(), seconds > 0 ? 62u : 6u);
    for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i], i % 2 == 0 ? 'a' : 'b');
  }
}

TEST(TimeInTurns, CountsWaitingOnTheWallOnly) {
  const std::vector<std::function<void()>> passes = {
      [] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }};
  EXPECT_GE(time_in_turns(passes, 0, wall_seconds)[0], 0.02);
  EXPECT_LT(time_in_turns(passes, 0, processor_seconds)[0], 0.01);
}

}  // namespace
}  // namespace graze::bench::timing_test
