#pragma once

#include "graze/broad/with_threads.h"
#include "graze/core/numeric/float_environment.h"
#include "graze/gpu/helper_threads.h"

namespace graze::gpu {

// Calls answer(i) for 0 <= i < count. Each call answers a query that needs integers, which takes
// microseconds, so a few calls suffice for a thread. `helpers`: threads that are awake, or null.
template <class Answer>
void answer_each(std::size_t count, int threads, HelperThreads* helpers, Answer&& answer) {
  const auto call = [&](std::size_t i) {
    const FloatEnvironment environment;
    answer(i);
  };
  if (count < 8)
    for (std::size_t i = 0; i < count; ++i) call(i);
  else if (helpers)
    helpers->run(count, call);
  else
    broad::with_threads(threads, [&] { broad::for_indices(count, call); });
}

}  // namespace graze::gpu
