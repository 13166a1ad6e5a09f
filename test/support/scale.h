#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace graze::test {

// The factor on the numbers of queries that tests draw: GRAZE_TEST_SCALE, 1 if it is not set.
inline double scale() {
  const char* text = std::getenv("GRAZE_TEST_SCALE");
  return text ? std::strtod(text, nullptr) : 1;
}

// The number of queries to draw where `count` is the number at scale 1; at least 1.
inline std::size_t scaled(std::size_t count) {
  const auto drawn = static_cast<std::size_t>(static_cast<double>(count) * scale());
  return drawn > 0 ? drawn : 1;
}

// The seed of the random queries: GRAZE_TEST_SEED, 1 if it is not set.
inline std::uint64_t seed() {
  const char* text = std::getenv("GRAZE_TEST_SEED");
  return text ? std::strtoull(text, nullptr, 10) : 1;
}

}  // namespace graze::test

// Goes before the assertions of a test on its own hit rate (how often a case occurred). Below scale
// 1 the test ends here as skipped, because few queries need not meet every case. All assertions
// before this line have been checked; if one failed, the test has failed.
#define GRAZE_HIT_RATE_NEEDS_SCALE_1() \
  if (graze::test::scale() < 1)        \
  GTEST_SKIP() << "the hit rate is asserted at GRAZE_TEST_SCALE >= 1; all else was checked"
