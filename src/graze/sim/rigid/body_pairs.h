#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "graze/core/aabb.h"

namespace graze {

// All pairs i < j of boxes that overlap, ordered. By a sweep along the axis on which they are
// spread out most.
std::vector<std::pair<std::uint32_t, std::uint32_t>> overlapping_pairs(std::span<const Aabb> boxes);

}  // namespace graze
