#pragma once

#include <algorithm>
#include <cassert>
#include <span>

#include "graze/core/float_environment.h"
#include "graze/core/impact.h"
#include "graze/core/options.h"
#include "graze/core/query.h"
#include "graze/narrow/method.h"

namespace graze {

// The frame every scalar method stands in: under the standard floating-point environment, answers
// `invalid` where CONTRACT.md says so (non-finite query, nonsensical option, a separation the norm
// of the method does not cover) and `answer(query)` otherwise.
template <class Query, class Answer>
void solve_each(std::span<const Query> queries, const Options& options, Norm norm,
                std::span<Impact> impacts, Answer&& answer) {
  assert(queries.size() == impacts.size());
  const FloatEnvironment environment;
  if (!is_sensible(options) || (norm == Norm::none && options.min_separation > 0)) {
    std::fill(impacts.begin(), impacts.end(), Impact::invalid());
    return;
  }
  for (std::size_t i = 0; i < queries.size(); ++i)
    impacts[i] = is_finite(queries[i]) ? answer(queries[i]) : Impact::invalid();
}

}  // namespace graze
