#pragma once

#include <atomic>
#include <cstdint>

#include "graze/method.h"

namespace graze::narrow {

// Returns whether the stop flag of the call is set.
inline bool is_stopped(const MethodOptions& options) {
  return options.stop && options.stop->load(std::memory_order_relaxed);
}

// Returns whether a search ends early: the number of checks spends the budget, or the stop flag is
// set.
inline bool is_spent(std::uint64_t checks, const MethodOptions& options) {
  return graze::is_spent(checks, options.max_checks) || is_stopped(options);
}

}  // namespace graze::narrow
