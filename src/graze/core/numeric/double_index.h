#pragma once

#include <bit>
#include <cstdint>

namespace graze::numeric {

// Numbers the non-negative doubles in ascending order: 0 for 0, one more for each next double.
inline std::uint64_t index_of(double x) {
  return std::bit_cast<std::uint64_t>(x);
}
inline double double_of(std::uint64_t index) {
  return std::bit_cast<double>(index);
}

}  // namespace graze::numeric
