#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "graze/aabb.h"

namespace graze::sim::rigid {

// Returns all pairs i < j of boxes that overlap, in lexicographic order, by a sweep along the axis
// of largest variance.
std::vector<std::pair<std::uint32_t, std::uint32_t>> overlapping_pairs(std::span<const Aabb> boxes);

}  // namespace graze::sim::rigid
