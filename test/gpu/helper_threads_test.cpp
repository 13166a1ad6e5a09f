#include "graze/gpu/helper_threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

namespace graze::gpu::helper_threads_test {
namespace {

TEST(HelperThreads, CallTheWorkOnceForEachIndex) {
  for (const int threads : {0, 1, 2, 3}) {
    HelperThreads helpers(threads);
    for (std::size_t round = 0; round < 300; ++round) {
      std::vector<std::atomic<int>> calls(round % 40);
      if (round % 3 > 0) helpers.wake();
      helpers.run(calls.size(), [&](std::size_t i) { ++calls[i]; });
      if (round % 2 > 0) helpers.sleep();
      for (const std::atomic<int>& count : calls) ASSERT_EQ(count, 1);
    }
  }
}

}  // namespace
}  // namespace graze::gpu::helper_threads_test
