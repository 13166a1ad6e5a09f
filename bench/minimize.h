#pragma once

#include <cstddef>
#include <functional>

#include "graze/core/query.h"

namespace graze::bench {

struct MinimizeLimits {
  std::size_t tries = 50'000;
  double seconds = 20;
};

template <class Query>
struct Minimized {
  Query query;
  std::size_t tries = 0;
  bool finished = true;  // false: a limit was reached before nothing simpler was found
};

// Looks for the simplest query for which `fails` still holds, as it does for the one given: corners
// at rest, coordinates zero, small integers, few bits.
//
//   (1) fails(result.query).
//   (2) complexity(result.query) <= complexity(query).
//   (3) Where finished, no single step leads to a simpler query that fails: the steps move the
//       origin, change the unit by a power of two, flatten an axis, stop a corner, and set, round
//       or shorten coordinates alone, in pairs and in blocks.
//   (4) The result depends on the arguments alone, unless time runs out.
// `fails` may be expensive; it is called `tries` times.
template <class Query>
Minimized<Query> minimize(const Query& query, const std::function<bool(const Query&)>& fails,
                          const MinimizeLimits& limits = {});

// The order of (2): sums over the 24 coordinates what a reader sees of one (nothing for 0, least
// for 1, more for more bits, fractions and signs) and one for each that moves. NaN and infinity:
// more than any number.
template <class Query>
std::size_t complexity(const Query& query);

}  // namespace graze::bench
