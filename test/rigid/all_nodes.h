#pragma once

#include <vector>

#include "graze/rigid/model/hull_tree.h"

namespace graze::test {

// Returns all nodes of a tree, in the order of their indices.
inline std::vector<const rigid::HullNode*> all_nodes(const rigid::HullTree& tree) {
  std::vector<const rigid::HullNode*> nodes;
  for (std::uint32_t i = 0; i < tree.size(); ++i) nodes.push_back(&tree.node(i));
  return nodes;
}

}  // namespace graze::test
