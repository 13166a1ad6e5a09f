#pragma once

#include <tbb/info.h>
#include <tbb/task_arena.h>

#include <algorithm>

#include "graze/core/float_environment.h"

namespace graze {

// Calls the function where at most `threads` threads work (0: as many as there are cores), all of
// them as the function's bounds assume: an arena's threads take on the floating-point environment
// of its creator.
template <class Function>
void with_threads(int threads, Function&& function) {
  const FloatEnvironment environment;
  const int cores = tbb::info::default_concurrency();  // TBB prints a warning when asked for more
  tbb::task_arena arena(threads > 0 ? std::min(threads, cores) : cores);
  arena.execute(function);
}

}  // namespace graze
