#include "graze/broad/pair_log.h"

#include <algorithm>
#include <utility>

namespace graze::broad {

void PairLog::add(Kind kind, std::span<const Pair> block) {
  if (!observer_) return;
  const std::lock_guard lock(mutex_);
  pairs_.of(kind).insert(pairs_.of(kind).end(), block.begin(), block.end());
}

void PairLog::show(const MovingMesh& moving) {
  if (!observer_) return;
  for (std::size_t kind = 0; kind < kind_count; ++kind) {
    auto& list = pairs_.of(static_cast<Kind>(kind));
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  observer_(moving, std::exchange(pairs_, {}));
}

}  // namespace graze::broad
