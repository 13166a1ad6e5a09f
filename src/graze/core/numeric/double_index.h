#pragma once

#include <bit>
#include <cstdint>

namespace graze::numeric {

// index_of() returns the index of x >= +0 among these doubles in ascending order, double_of() x.
inline std::uint64_t index_of(double x) {
  return std::bit_cast<std::uint64_t>(x);
}
inline double double_of(std::uint64_t index) {
  return std::bit_cast<double>(index);
}

}  // namespace graze::numeric
