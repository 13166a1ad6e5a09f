#pragma once

#include <cstdint>
#include <vector>

#include "graze/broad/pair_job.h"
#include "graze/broad/rank_boxes.h"

namespace graze {

// Morton's curve through a space that is measured in ranks, so that coordinates far out or not
// finite do no harm, and cut on each axis as finely as boxes are long there on average: an axis
// along which nothing is apart has no say.
class MortonCurve {
 public:
  // `length`: of the boxes, as a part of the axis, in (0, 1]; `ranks`: of the axis.
  MortonCurve(const std::array<double, 3>& length, const std::array<std::int32_t, 3>& ranks);

  int bits() const { return bits_; }              // of the codes
  std::uint32_t code(const RankBox& box) const {  // of its middle
    std::uint32_t code = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const double twice_middle = static_cast<double>(box.lo[k]) + static_cast<double>(box.hi[k]);
      code |= spread_[k][static_cast<std::size_t>(twice_middle * cells_of_rank_[k])];
    }
    return code;
  }

 private:
  int bits_;
  std::array<std::vector<std::uint32_t>, 3> spread_;  // the part of the code by cell of an axis
  std::array<double, 3> cells_of_rank_;
};

// The features of a list, neighbours in space near each other: along Morton's curve, ties by their
// place in the list.
std::vector<std::uint32_t> spatial_order(const PairJob& job, const FeatureList& list,
                                         const RankBoxes& boxes);

}  // namespace graze
