#pragma once

#include <span>
#include <vector>

#include "graze/broad/pair_block.h"
#include "graze/broad/tree/rank_boxes.h"

namespace graze::broad {

struct RankFeature {
  RankBox box;
  std::uint32_t id;
};

// Returns the features of a list with their boxes.
std::vector<RankFeature> rank_features(const PairJob& job, const FeatureList& list,
                                       const RankBoxes& boxes);

// Adds the pairs of a match among the given features that overlap and share no vertex.
// If space is cut into parts and each feature is listed in every part that it touches, a pair is
// added only in the part that contains the lower corner of the intersection of the two boxes.
void compare_all(const PairJob& job, const Match& match, std::span<const RankFeature> as,
                 std::span<const RankFeature> bs, const RankBox& part, PairBlock& block);

}  // namespace graze::broad
