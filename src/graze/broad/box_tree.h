#pragma once

#include <vector>

#include "graze/broad/box_tree_kernel.h"
#include "graze/broad/pair_job.h"

namespace graze {

// A linear bounding volume hierarchy (packed_tree.h) in ranks. A packet of one tree goes down the
// other (or its own), compared with sixteen boxes at a time. SIMD.
// Cost: near linear in features and pairs. Memory: 30 bytes per feature and 4 per corner of it, 24
// per vertex; while it builds 64 per vertex more.
void box_tree(const PairJob& job, const PairConsumer& consumer);

// The trees of a moving mesh, kept from step to step: features that were neighbours mostly still
// are, so that their order stays and only their boxes are renewed.
class BoxTrees {
 public:
  explicit BoxTrees(const PairJob& job);

  // To the job's positions and separation. The mesh and the filter are as before. The more the mesh
  // has changed its shape, the slower is find(), never wrong.
  void refit(const PairJob& job);

  // As find_pairs: all pairs whose boxes overlap and that share no vertex. Call it within the arena
  // whose threads may work.
  void find(const PairConsumer& consumer) const;

 private:
  void fit(const PairJob& job, const class RankBoxes& boxes);

  std::vector<Match> matches_;
  std::vector<tree::PackedTree<tree::RankPacket>> trees_;  // of the job's lists
};

}  // namespace graze
