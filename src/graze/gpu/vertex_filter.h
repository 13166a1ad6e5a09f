#pragma once

#include <cstdint>

#include "graze/gpu/device_code.h"

// The part of graze::PairFilter that needs no callback, for the device.
namespace graze::gpu {

// Views of arrays of one element per vertex, or null where the filter has none.
struct VertexFilter {
  bool active = false;  // false: every pair is admitted, and nothing below is read
  bool within_group = true, listed_only = false;
  std::uint32_t groups = 0;  // rows of `meets`
  std::uint64_t listed_count = 0;
  const std::uint8_t* is_static = nullptr;
  const std::uint32_t* group = nullptr;
  const std::uint8_t* meets = nullptr;    // groups * groups elements
  const std::uint32_t* masks = nullptr;   // categories and what they meet, two words per vertex
  const std::uint64_t* listed = nullptr;  // pairs of groups, see group_key(), ascending
};

GRAZE_HD inline std::uint64_t group_key(std::uint32_t g, std::uint32_t h) {
  return g < h ? std::uint64_t{g} << 32 | h : std::uint64_t{h} << 32 | g;
}

// Returns whether two vertices meet, as broad::MeetingVertices decides it.
GRAZE_HD inline bool vertices_meet(const VertexFilter& filter, std::uint32_t p, std::uint32_t q) {
  const std::uint32_t g = filter.group ? filter.group[p] : 0,
                      h = filter.group ? filter.group[q] : 0;
  if (!filter.within_group && g == h) return false;
  if (filter.meets && !filter.meets[std::uint64_t{g} * filter.groups + h]) return false;
  if (filter.masks &&
      !((filter.masks[2 * std::uint64_t{p} + 1] & filter.masks[2 * std::uint64_t{q}]) &&
        (filter.masks[2 * std::uint64_t{q} + 1] & filter.masks[2 * std::uint64_t{p}])))
    return false;
  if (filter.listed_count == 0) return !filter.listed_only;
  const std::uint64_t key = group_key(g, h);
  std::uint64_t first = 0, last = filter.listed_count;
  while (first < last) {
    const std::uint64_t middle = (first + last) / 2;
    if (filter.listed[middle] < key)
      first = middle + 1;
    else
      last = middle;
  }
  const bool found = first < filter.listed_count && filter.listed[first] == key;
  return found == filter.listed_only;
}

// Returns whether the filter admits a pair of features with these vertices: not all of them are
// static, and some vertex of one meets some vertex of the other.
GRAZE_HD inline bool admits(const VertexFilter& filter, const std::uint32_t* a, int count_a,
                            const std::uint32_t* b, int count_b) {
  if (filter.is_static) {
    bool moves = false;
    for (int i = 0; i < count_a; ++i) moves = moves || !filter.is_static[a[i]];
    for (int j = 0; j < count_b; ++j) moves = moves || !filter.is_static[b[j]];
    if (!moves) return false;
  }
  for (int i = 0; i < count_a; ++i)
    for (int j = 0; j < count_b; ++j)
      if (vertices_meet(filter, a[i], b[j])) return true;
  return false;
}

}  // namespace graze::gpu
