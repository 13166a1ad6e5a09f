#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace graze::test {

// Returns the factor on the numbers of queries that tests draw: GRAZE_TEST_SCALE, 1 if it is unset.
inline double scale() {
  const char* text = std::getenv("GRAZE_TEST_SCALE");
  return text ? std::strtod(text, nullptr) : 1;
}

// Returns `count`, the number of queries to draw at scale 1, times the scale; at least 1.
inline std::size_t scaled(std::size_t count) {
  const auto drawn = static_cast<std::size_t>(static_cast<double>(count) * scale());
  return drawn > 0 ? drawn : 1;
}

// Returns the seed of the random queries: GRAZE_TEST_SEED, 1 if it is unset.
inline std::uint64_t seed() {
  const char* text = std::getenv("GRAZE_TEST_SEED");
  return text ? std::strtoull(text, nullptr, 10) : 1;
}

}  // namespace graze::test

// Ends a test as skipped if the scale is below 1. To be placed before the assertions on the hit
// rate of the test (how often a case occurred), because few queries need not cover every case.
// Assertions before this line have been checked; if one of them failed, the test has failed.
#define GRAZE_HIT_RATE_NEEDS_SCALE_1() \
  if (graze::test::scale() < 1)        \
  GTEST_SKIP() << "the hit rate is asserted at GRAZE_TEST_SCALE >= 1; all else was checked"
