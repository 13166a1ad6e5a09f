#pragma once

#include <algorithm>
#include <cassert>
#include <span>

#include "graze/core/numeric/float_environment.h"
#include "graze/impact.h"
#include "graze/method.h"
#include "graze/narrow/stop.h"
#include "graze/options.h"
#include "graze/query.h"

namespace graze::narrow {

// Returns whether a method with this norm can honour the options (Method::takes).
inline bool takes(Norm norm, const Options& options) {
  return Method{{}, {}, {}, {}, norm, {}, {}}.takes(options);
}

// Runs a scalar method over a batch: sets the floating-point environment, answers `invalid` for a
// non-finite query and for options that the norm of the method cannot honour, `undecided` once the
// stop flag is set, and `answer(query)` otherwise.
template <class Query, class Answer>
void solve_each(std::span<const Query> queries, const MethodOptions& options, Norm norm,
                std::span<Impact> impacts, Answer&& answer) {
  assert(queries.size() == impacts.size());
  const FloatEnvironment environment;
  if (!takes(norm, options)) {
    std::fill(impacts.begin(), impacts.end(), Impact::invalid());
    return;
  }
  for (std::size_t i = 0; i < queries.size(); ++i)
    impacts[i] = !is_finite(queries[i]) ? Impact::invalid()
                 : is_stopped(options)  ? Impact::undecided(0, options.t_max)
                                        : answer(queries[i]);
}

}  // namespace graze::narrow
