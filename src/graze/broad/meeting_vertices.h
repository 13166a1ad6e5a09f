#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "graze/find_pairs.h"

namespace graze::broad {

// The part of a PairFilter that decides which vertices meet, prepared for many tests. A view: the
// spans of the filter must outlive it.
// Precondition: the filter fits the mesh (is_sensible).
class MeetingVertices {
 public:
  explicit MeetingVertices(const PairFilter& filter)
      : filter_(filter),
        groups_(
            static_cast<std::size_t>(std::sqrt(static_cast<double>(filter.meets.size())) + 0.5)),
        listed_only_(filter.listed == ListedPairs::only) {
    listed_.reserve(filter.group_pairs.size());
    for (const auto& [g, h] : filter.group_pairs) listed_.push_back(key(g, h));
    std::sort(listed_.begin(), listed_.end());
  }

  // Returns whether every two vertices meet.
  bool all() const {
    return filter_.meets.empty() && filter_.within_group && filter_.masks.empty() &&
           listed_.empty() && !listed_only_;
  }

  // Returns whether some vertex of one feature meets some vertex of another.
  template <class A, class B>
  bool any(const A& a, const B& b) const {
    return std::any_of(a.begin(), a.end(), [&](std::uint32_t p) {
      return std::any_of(b.begin(), b.end(), [&](std::uint32_t q) { return meet(p, q); });
    });
  }

 private:
  static std::uint64_t key(std::uint32_t g, std::uint32_t h) {
    return std::uint64_t{std::min(g, h)} << 32 | std::max(g, h);
  }

  bool meet(std::uint32_t p, std::uint32_t q) const {
    const std::uint32_t g = filter_.group.empty() ? 0 : filter_.group[p];
    const std::uint32_t h = filter_.group.empty() ? 0 : filter_.group[q];
    if (!filter_.within_group && g == h) return false;
    if (!filter_.meets.empty() && !filter_.meets[g * groups_ + h]) return false;
    if (!filter_.masks.empty() && !(filter_.masks[p].meets & filter_.masks[q].categories &&
                                    filter_.masks[q].meets & filter_.masks[p].categories))
      return false;
    return listed_.empty()
               ? !listed_only_
               : std::binary_search(listed_.begin(), listed_.end(), key(g, h)) == listed_only_;
  }

  PairFilter filter_;
  std::size_t groups_;  // rows of filter_.meets
  bool listed_only_;
  std::vector<std::uint64_t> listed_;  // sorted
};

}  // namespace graze::broad
