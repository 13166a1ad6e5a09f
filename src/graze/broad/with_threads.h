#pragma once

#include <tbb/info.h>
#include <tbb/task_arena.h>

#include <algorithm>

#include "graze/core/numeric/float_environment.h"

namespace graze::broad {

// Calls the function in a task arena of at most `threads` threads (0: one per core). All threads of
// the arena have the standard floating-point environment, since an arena's threads inherit that of
// its creator.
template <class Function>
void with_threads(int threads, Function&& function) {
  const FloatEnvironment environment;
  const int cores = tbb::info::default_concurrency();  // TBB prints a warning above this number
  tbb::task_arena arena(threads > 0 ? std::min(threads, cores) : cores);
  arena.execute(function);
}

}  // namespace graze::broad
