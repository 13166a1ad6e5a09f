#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graze/aabb.h"

namespace graze::rigid {

// A binary tree of boxes that do not move.
class StillTree {
 public:
  StillTree() = default;
  explicit StillTree(std::span<const Aabb> boxes);

  // Calls found(i) for every box i that overlaps with `box`, in an order that depends on the boxes
  // alone.
  template <class Found>
  void overlapping(const Aabb& box, const Found& found) const {
    if (!nodes_.empty()) visit(0, box, found);
  }

 private:
  struct Node {
    Aabb box;
    std::uint32_t child;  // the second child; the first follows the node. 0: a leaf
    std::uint32_t index;  // a leaf: its box
  };
  std::uint32_t build(std::span<const Aabb> boxes, std::span<std::uint32_t> part);

  template <class Found>
  void visit(std::uint32_t i, const Aabb& box, const Found& found) const {
    const Node& node = nodes_[i];
    if (!overlap(node.box, box)) return;
    if (node.child == 0) return found(node.index);
    visit(i + 1, box, found);
    visit(node.child, box, found);
  }

  std::vector<Node> nodes_;
};

}  // namespace graze::rigid
