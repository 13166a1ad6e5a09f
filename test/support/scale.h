#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace graze::test {

// How many queries a test draws where `count` is the everyday number: GRAZE_TEST_SCALE=100 makes a
// night of it.
inline std::size_t scaled(std::size_t count) {
  const char* text = std::getenv("GRAZE_TEST_SCALE");
  const double scale = text ? std::strtod(text, nullptr) : 1;
  const auto drawn = static_cast<std::size_t>(static_cast<double>(count) * scale);
  return drawn > 0 ? drawn : 1;
}

// Which queries: GRAZE_TEST_SEED=2 draws others than every day.
inline std::uint64_t seed() {
  const char* text = std::getenv("GRAZE_TEST_SEED");
  return text ? std::strtoull(text, nullptr, 10) : 1;
}

}  // namespace graze::test
