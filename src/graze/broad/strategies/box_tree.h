#pragma once

#include <vector>

#include "graze/broad/pair_job.h"
#include "graze/broad/tree/box_tree_kernel.h"

namespace graze::broad {

// Finds pairs with linear bounding volume hierarchies (packed_tree.h) of rank boxes. Each packet of
// one tree descends the other tree (or its own) and is compared with sixteen boxes at a time
// (SIMD).
// Cost: near linear in features and pairs. Memory: 30 bytes per feature plus 4 per corner, 24 bytes
// per vertex; 64 more per vertex during construction.
void box_tree(const PairJob& job, const PairConsumer& consumer);

// The trees of a moving mesh, kept from step to step. Features that were neighbours mostly remain
// neighbours, so refit() keeps their order and recomputes only the boxes.
class BoxTrees {
 public:
  explicit BoxTrees(const PairJob& job);

  // Recomputes the boxes for the positions, slab and separation of a job with the same mesh and
  // filter. find() stays correct; it becomes slower the more the shape of the mesh has changed.
  void refit(const PairJob& job);

  // Finds all pairs of the job whose boxes overlap and that share no vertex, on the threads of the
  // task arena of the caller. The job is that of the last refit() or of the constructor.
  void find(const PairJob& job, const PairConsumer& consumer) const;

 private:
  void fit(const PairJob& job, const class RankBoxes& boxes);

  SearchMemory memory_;
  std::vector<Match> matches_;
  std::vector<tree::PackedTree<tree::RankPacket>> trees_;  // one per list of the job, in memory_
};

}  // namespace graze::broad
