#pragma once

#include <span>
#include <vector>

#include "graze/broad/pair_block.h"
#include "graze/broad/rank_boxes.h"

namespace graze {

struct RankFeature {
  RankBox box;
  std::uint32_t id;
};

std::vector<RankFeature> rank_features(const PairJob& job, const FeatureList& list,
                                       const RankBoxes& boxes);

// Adds the pairs of the match among these of its features: those that overlap and share no vertex.
// Where space is cut into parts and a feature is in every part it touches, a pair is wanted once:
// only where the lower corner of what the two boxes have in common lies in `part`.
void compare_all(const PairJob& job, const Match& match, std::span<const RankFeature> as,
                 std::span<const RankFeature> bs, const RankBox& part, PairBlock& block);

}  // namespace graze
