#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "graze/broad/pair_job.h"

namespace graze::broad {

// A closed box whose bounds are ranks. The rank of a coordinate is the number of distinct smaller
// coordinates.
struct RankBox {
  std::array<std::int32_t, 3> lo, hi;
};

// The swept boxes of a job, with each coordinate replaced by its rank among all bounds of the
// vertices' boxes on its axis. Bounds of edges and faces are bounds of their corners, so every
// comparison of ranks has the same result as the comparison of the doubles, ties included, but
// needs 32 bits only, and boxes are sorted along an axis by counting.
// Cost: a radix sort of 2 n doubles per axis for n vertices.
class RankBoxes {
 public:
  explicit RankBoxes(const PairJob& job);

  // The number of ranks on an axis: 0 <= r < ranks(axis) <= 2 n.
  std::int32_t ranks(std::size_t axis) const { return ranks_[axis]; }

  // Returns the box of a feature.
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
  struct Bound {
    std::uint64_t key;   // has the order of the doubles
    std::uint32_t slot;  // 2 * vertex, + 1 for the upper bound
  };

  // Sets the ranks of the sorted bounds on an axis. Returns the number of ranks.
  std::int32_t rank(std::span<const Bound> bounds, std::size_t axis);

  std::vector<RankBox> vertices_;
  std::array<std::int32_t, 3> ranks_{};
};

// Returns the average length of a sample of the boxes of a list on each axis, as a fraction of the
// number of ranks, in (0, 1].
std::array<double, 3> average_lengths(const PairJob& job, const FeatureList& list,
                                      const RankBoxes& boxes);

// Returns the average lengths for the job's features with the most corners.
std::array<double, 3> average_lengths(const PairJob& job, const RankBoxes& boxes);

}  // namespace graze::broad
