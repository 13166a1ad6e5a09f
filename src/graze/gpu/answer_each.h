#pragma once

#include <span>

#include "graze/broad/with_threads.h"
#include "graze/core/numeric/float_environment.h"
#include "graze/first_contact.h"
#include "graze/gpu/helper_threads.h"

namespace graze::gpu {

// Answers single queries that need integers: microseconds each, so a few suffice for a thread.
// `helpers`: threads that are awake, or null.
template <class Query>
void answer_each(std::span<const Query> queries, const Options& options, int threads,
                 HelperThreads* helpers, std::span<Impact> impacts) {
  const auto answer = [&](std::size_t i) {
    const FloatEnvironment environment;
    impacts[i] = graze::first_contact(queries[i], options);
  };
  if (queries.size() < 8)
    for (std::size_t i = 0; i < queries.size(); ++i) answer(i);
  else if (helpers)
    helpers->run(queries.size(), answer);
  else
    broad::with_threads(threads, [&] { broad::for_indices(queries.size(), answer); });
}

}  // namespace graze::gpu
