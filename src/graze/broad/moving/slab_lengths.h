#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "graze/broad/moving/time_slabs.h"

namespace graze::broad {

// The length of slabs with the least work, in units of the time in which features move by their own
// size. Let a slab cost B for its trees and W (1 + x)^3 for its pairs, of which there are as many
// as boxes of size 1 + x overlap. Then slabs of length x cost (B + W (1 + x)^3) / x for each unit,
// which is least for (1 + x)^2 (2 x - 1) = B / W. Measured ratios B / W from 8 (SSE4) to 40
// (AVX-512) give 1.3 to 2.4, and the minimum is flat.
inline constexpr double best_slab_length = 1.5;

// Returns the slabs of time_slabs() for a mesh of this relative_motion().
inline std::vector<Slab> slabs_of_motion(double motion, double t_max, double first) {
  if (motion * t_max <= best_slab_length) return {{0, t_max}};
  std::vector<Slab> slabs;
  if (first < best_slab_length) slabs.push_back({0, first / motion});
  const double begin = slabs.empty() ? 0 : slabs[0].end;
  const double parts =
      std::max(1.0, std::round((t_max - begin) * motion / std::max(first, best_slab_length)));
  for (double part = 1; part <= parts; ++part)
    slabs.push_back({slabs.empty() ? begin : slabs.back().end,
                     part < parts ? begin + (t_max - begin) * (part / parts) : t_max});
  return slabs;
}

}  // namespace graze::broad
