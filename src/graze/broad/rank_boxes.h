#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "graze/broad/pair_job.h"

namespace graze {

// A closed box whose bounds are ranks: numbers of the different coordinates below.
struct RankBox {
  std::array<std::int32_t, 3> lo, hi;
};

// The swept boxes of a moving mesh, each coordinate replaced by its rank among all bounds of the
// vertices' boxes on its axis. Bounds of edges and faces are bounds of their corners, so every
// comparison between boxes comes out as it does between the doubles, ties included, but takes 32
// bits; and sorting boxes along an axis is counting. Cost: a radix sort of 2 n doubles per axis.
class RankBoxes {
 public:
  explicit RankBoxes(const PairJob& job);

  // Ranks on an axis are 0 <= r < ranks(axis) <= 2 n.
  std::int32_t ranks(std::size_t axis) const { return ranks_[axis]; }

  RankBox operator()(const Corners& corners) const {
    RankBox box = vertices_[corners[0]];
    for (std::size_t i = 1; i < 3; ++i)
      for (std::size_t k = 0; k < 3; ++k) {
        box.lo[k] = std::min(box.lo[k], vertices_[corners[i]].lo[k]);
        box.hi[k] = std::max(box.hi[k], vertices_[corners[i]].hi[k]);
      }
    return box;
  }

 private:
  std::vector<RankBox> vertices_;
  std::array<std::int32_t, 3> ranks_{};
};

// How long the boxes of a list are on average, of a sample, as a part of each axis: in (0, 1].
std::array<double, 3> average_lengths(const PairJob& job, const FeatureList& list,
                                      const RankBoxes& boxes);

// Those of the job's largest kind of features.
std::array<double, 3> average_lengths(const PairJob& job, const RankBoxes& boxes);

}  // namespace graze
