#pragma once

#include <cstdint>
#include <vector>

#include "graze/broad/pair_job.h"
#include "graze/broad/tree/rank_boxes.h"

namespace graze::broad {

// A Morton curve through rank space (rank_boxes.h), so very large or non-finite coordinates do not
// distort it. Each axis is divided into cells of about half the average length of a box; an axis
// along which nearly all boxes overlap contributes few bits.
class MortonCurve {
 public:
  // `length`: average length of the boxes as a fraction of each axis, in (0, 1]; `ranks`: the
  // number of ranks on each axis.
  MortonCurve(const std::array<double, 3>& length, const std::array<std::int32_t, 3>& ranks);

  int bits() const { return bits_; }              // number of bits of a code
  std::uint32_t code(const RankBox& box) const {  // the code of the box's middle
    std::uint32_t code = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const double twice_middle = static_cast<double>(box.lo[k]) + static_cast<double>(box.hi[k]);
      code |= spread_[k][static_cast<std::size_t>(twice_middle * cells_of_rank_[k])];
    }
    return code;
  }

 private:
  int bits_;
  std::array<std::vector<std::uint32_t>, 3> spread_;  // bits of the code by cell of an axis
  std::array<double, 3> cells_of_rank_;
};

// Returns the ids of the features of a list in the order of the Morton curve; ties keep the order
// of the list.
std::vector<std::uint32_t> spatial_order(const PairJob& job, const FeatureList& list,
                                         const RankBoxes& boxes);

}  // namespace graze::broad
