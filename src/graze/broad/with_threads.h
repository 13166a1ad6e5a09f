#pragma once

#include <algorithm>
#include <cstddef>

#include "graze/core/numeric/float_environment.h"

#ifndef GRAZE_SERIAL  // GRAZE_TBB=OFF
#include <tbb/blocked_range.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/parallel_sort.h>
#include <tbb/task_arena.h>
#endif

namespace graze::broad {

#ifdef GRAZE_SERIAL

// Without oneTBB every function below runs on the thread of its caller.
inline constexpr bool on_one_thread = true;

template <class Function>
void with_threads(int, Function&& function) {
  const FloatEnvironment environment;
  function();
}

#else

// True while this thread is in a call of with_threads() for one thread. The functions below then
// use no oneTBB, whose first use in a process costs about a millisecond.
inline constinit thread_local bool on_one_thread = false;

// Calls the function in a task arena of at most `threads` threads (0: one per core), or on this
// thread alone for one. All threads of the arena have the standard floating-point environment,
// since an arena's threads inherit that of its creator. The function uses oneTBB through the
// functions below only.
template <class Function>
void with_threads(int threads, Function&& function) {
  const FloatEnvironment environment;
  struct Restore {
    const bool before = on_one_thread;
    ~Restore() { on_one_thread = before; }
  } const restore;
  on_one_thread = threads == 1;
  if (on_one_thread) {
    function();
    return;
  }
  const int cores = tbb::info::default_concurrency();  // TBB prints a warning above this number
  tbb::task_arena arena(threads > 0 ? std::min(threads, cores) : cores);
  arena.execute(function);
}

#endif

// Returns the number of threads for work on `elements` elements: one if these are so few that a
// thread would cost more than it saves, else `threads`.
inline int threads_for(std::size_t elements, int threads) {
  return elements < 4096 ? 1 : threads;
}

// Calls body(begin, end) for ranges that together are [0, count), in parallel if there are more
// than `grain` elements.
template <class Body>
void for_ranges(std::size_t count, std::size_t grain, Body&& body) {
  if (on_one_thread || count <= grain) {
    if (count > 0) body(std::size_t{0}, count);
    return;
  }
#ifndef GRAZE_SERIAL
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, grain),
                    [&](const auto& range) { body(range.begin(), range.end()); });
#endif
}

// Does the same with at least 16 ranges, if there are as many of `grain` elements, also on one
// thread: for work that may be stopped between ranges.
template <class Body>
void for_parts(std::size_t count, std::size_t grain, Body&& body) {
  if (!on_one_thread) return for_ranges(count, grain, body);
  const std::size_t size = std::max(grain, (count + 15) / 16);
  for (std::size_t first = 0; first < count; first += size)
    body(first, std::min(first + size, count));
}

// Calls function(i) for 0 <= i < count, in parallel.
template <class Function>
void for_indices(std::size_t count, Function&& function) {
  for_ranges(count, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) function(i);
  });
}

// Calls both functions, in parallel.
template <class First, class Second>
void do_both(First&& first, Second&& second) {
#ifndef GRAZE_SERIAL
  if (!on_one_thread) return tbb::parallel_invoke(first, second);
#endif
  first();
  second();
}

// Sorts in parallel. Not stable.
template <class Iterator>
void sort_in_parallel(Iterator first, Iterator last) {
#ifndef GRAZE_SERIAL
  if (!on_one_thread) return tbb::parallel_sort(first, last);
#endif
  std::sort(first, last);
}

}  // namespace graze::broad
