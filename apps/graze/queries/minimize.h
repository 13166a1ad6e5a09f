#pragma once

#include <cstddef>
#include <functional>

#include "graze/query.h"

namespace graze::queries {

struct MinimizeLimits {
  std::size_t tries = 50'000;
  double seconds = 20;
};

template <class Query>
struct Minimized {
  Query query;
  std::size_t tries = 0;
  bool finished = true;  // false: a limit ended the search
};

// Searches for the simplest query for which `fails` holds: corners at rest, coordinates that are
// zero, small integers or have few bits. `fails` must hold for the given query.
//
//   (1) fails(result.query).
//   (2) complexity(result.query) <= complexity(query).
//   (3) If finished, no single step leads to a simpler query for which `fails` holds. A step
//       moves the origin, changes the unit by a power of two, flattens an axis, stops a corner,
//       or sets, rounds or shortens coordinates: one, two or a block.
//   (4) The result depends on the arguments alone, unless time runs out.
// Cost: result.tries calls of `fails`.
template <class Query>
Minimized<Query> minimize(const Query& query, const std::function<bool(const Query&)>& fails,
                          const MinimizeLimits& limits = {});

// Returns the sum over the 24 coordinates of a weight (0 for 0, least for 1, more for more bits,
// fractions and signs), plus one for each coordinate that moves. NaN and infinity weigh more than
// any finite number.
template <class Query>
std::size_t complexity(const Query& query);

}  // namespace graze::queries
