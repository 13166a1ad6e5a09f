#pragma once

#include <cstdint>
#include <vector>

#include "graze/broad/pair_job.h"
#include "graze/broad/rank_boxes.h"

namespace graze {

// The features of a list, neighbours in space near each other: by the Morton code of the middle of
// their boxes, ties by their place in the list. Space is measured in ranks, so that coordinates far
// out or not finite do no harm, and cut on each axis as finely as boxes are long there on average:
// an axis along which nothing is apart has no say.
std::vector<std::uint32_t> spatial_order(const PairJob& job, const FeatureList& list,
                                         const RankBoxes& boxes);

}  // namespace graze
