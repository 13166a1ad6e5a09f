#include "graze/spine/sorted_impacts.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "graze/broad/radix_sort.h"
#include "graze/broad/with_threads.h"
#include "graze/spine/search_step.h"

namespace graze::spine {

// Impacts are large, so keys with their times are sorted first, which keeps the order of ties; then
// ties are broken.
std::vector<StepImpact> sorted(const std::vector<const StepImpact*>& impacts) {
  struct Key {
    std::uint64_t toi;  // the bits of a non-negative double, which have its order
    const StepImpact* impact;
  };
  std::vector<Key> keys(impacts.size());
  broad::for_indices(keys.size(), [&](std::size_t i) {
    keys[i] = {std::bit_cast<std::uint64_t>(impacts[i]->impact.toi + 0.0), impacts[i]};
  });
  broad::radix_sort(keys, 64, [](const Key& key) { return key.toi; });
  for (auto first = keys.begin(); first != keys.end();) {
    const auto later = [&](const Key& key) { return key.toi != first->toi; };
    const auto last = std::find_if(first + 1, keys.end(), later);
    const auto pierced = std::partition_point(
        first, last, [](const Key& key) { return key.impact->kind != Kind::edge_face; });
    if (pierced - first > 1)
      std::sort(first, pierced,
                [](const Key& a, const Key& b) { return before(*a.impact, *b.impact); });
    first = last;
  }
  std::vector<StepImpact> result(keys.size());
  broad::for_indices(keys.size(), [&](std::size_t i) { result[i] = *keys[i].impact; });
  return result;
}

}  // namespace graze::spine
