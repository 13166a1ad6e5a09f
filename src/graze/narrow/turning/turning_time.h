#pragma once

#include <array>
#include <optional>

#include "graze/narrow/turning/turning_control.h"

namespace graze::narrow {

// A root of the coplanarity D on a half-turn, the only one near `y`.
struct RoughRoot {
  double y;         // close to the root
  double rate;      // of D, by y
  double rate_err;  // every rate of D between y and the root is within rate_err of `rate`
  double slowest;   // and at least this in size, > 0
};

// Returns the tightest doubles around the time of the root, which is not 0. Computes in pairs of
// doubles; returns nothing if their error leaves open which doubles are next to the time.
// Precondition: the axes of `turn` are exact.
template <class Query>
std::optional<std::array<double, 2>> rough_time(const Turning<Query>& query, const RoughTurn& turn,
                                                const exact::HalfTurn& part, const RoughRoot& root);

}  // namespace graze::narrow
