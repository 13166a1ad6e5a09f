#pragma once

#include <mutex>

#include "graze/find_pairs.h"

namespace graze::broad {

// Collects the pairs of one motion for an observer, which may be empty and must outlive the log.
class PairLog {
 public:
  explicit PairLog(const MotionObserver& observer) : observer_(observer) {}

  // Adds a block of pairs if there is an observer. Several threads may call it at the same time.
  void add(Kind kind, std::span<const Pair> block);

  // Calls the observer with the motion and the pairs so far, sorted, each once. Empties the log.
  void show(const MovingMesh& moving);

 private:
  const MotionObserver& observer_;
  std::mutex mutex_;
  Pairs pairs_;
};

}  // namespace graze::broad
