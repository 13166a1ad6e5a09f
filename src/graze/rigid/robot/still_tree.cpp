#include "graze/rigid/robot/still_tree.h"

#include <algorithm>
#include <numeric>

namespace graze::rigid {

StillTree::StillTree(std::span<const Aabb> boxes) {
  std::vector<std::uint32_t> order(boxes.size());
  std::iota(order.begin(), order.end(), 0u);
  if (!order.empty()) build(boxes, order);
}

// Halves the boxes at the median of their centres along the longest side of the box around them.
std::uint32_t StillTree::build(std::span<const Aabb> boxes, std::span<std::uint32_t> part) {
  Aabb around = boxes[part[0]];
  for (const std::uint32_t i : part) around.include(boxes[i]);
  const auto at = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back({around, 0, part[0]});
  if (part.size() == 1) return at;
  Eigen::Index axis;
  (around.hi - around.lo).maxCoeff(&axis);
  const auto half = part.begin() + static_cast<std::ptrdiff_t>(part.size() / 2);
  const auto place = [&](std::uint32_t i) {
    return std::pair(boxes[i].lo[axis] + boxes[i].hi[axis], i);
  };
  std::nth_element(part.begin(), half, part.end(),
                   [&](std::uint32_t i, std::uint32_t j) { return place(i) < place(j); });
  build(boxes, {part.begin(), half});
  const std::uint32_t second = build(boxes, {half, part.end()});
  nodes_[at].child = second;
  return at;
}

}  // namespace graze::rigid
