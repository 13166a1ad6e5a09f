#pragma once

#include <span>

#include "graze/broad/with_threads.h"
#include "graze/first_contact.h"

namespace graze::gpu {

// Answers single queries that need integers: microseconds each, so a few suffice for a thread.
template <class Query>
void answer_each(std::span<const Query> queries, const Options& options, int threads,
                 std::span<Impact> impacts) {
  const auto answer = [&](std::size_t i) {
    impacts[i] = graze::first_contact(queries[i], options);
  };
  if (queries.size() < 8)
    for (std::size_t i = 0; i < queries.size(); ++i) answer(i);
  else
    broad::with_threads(threads, [&] { broad::for_indices(queries.size(), answer); });
}

}  // namespace graze::gpu
