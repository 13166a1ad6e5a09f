#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace graze::narrow {

// Adds `more` checks, or one, to the count, which stays at 2^32 - 1 once it is reached.
inline void count_checks(std::uint32_t& checks, std::uint32_t more) {
  checks += std::min(more, std::numeric_limits<std::uint32_t>::max() - checks);
}
inline void count_check(std::uint32_t& checks) {
  count_checks(checks, 1);
}

}  // namespace graze::narrow
