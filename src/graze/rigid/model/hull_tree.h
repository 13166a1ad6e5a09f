#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "graze/mesh.h"
#include "graze/vec3.h"

namespace graze::rigid {

// A node of the tree. It bounds its triangles by a ball, and by a polytope of few vertices that is
// enlarged by `margin`. The margin is mostly rounding; it is 0 for a leaf, whose polytope is its
// triangle.
struct HullNode {
  Vec3 centre;
  double radius;
  double margin;
  std::uint32_t first;  // of the polytope in HullTree::coordinates: all x, then all y, then all z
  std::uint32_t count;  // stored vertices, a multiple of 4; the last vertex may be repeated
  std::uint32_t child;  // index of the first child; the second is child + 1. 0: a leaf
  std::uint32_t face;   // the triangle of a leaf
  std::uint32_t faces;  // the number of triangles below the node
  std::uint32_t vertices;  // the number of distinct vertices of the polytope, <= count

  bool is_leaf() const { return child == 0; }
};
static_assert(sizeof(HullNode) == 64);  // one cache line

// Returns whether a search divides the first node of a pair, rather than the second. Not both are
// leaves.
inline bool divides_first(const HullNode& a, const HullNode& b) {
  return b.is_leaf() || (!a.is_leaf() && a.radius >= b.radius);
}

// Divides the pair (i, j) and pushes both parts on a stack.
template <class Stack>
void push_parts(Stack& stack, std::uint32_t i, const HullNode& a, std::uint32_t j,
                const HullNode& b) {
  const bool first = divides_first(a, b);
  for (const std::uint32_t k : {0u, 1u})
    stack.push_back({first ? a.child + k : i, first ? j : b.child + k});
}

// The convex hull tree of [Zhang 2006] 3.3, with one triangle per leaf.
//   (1) The ball and the polytope (with its margin) of a node contain all triangles below it, in
//       real arithmetic on the stored doubles.
//   (2) Every triangle of the mesh is in exactly one leaf.
//   (3) A node has at most max_vertices distinct vertices. The tree takes at most 1 KiB per
//       triangle.
struct HullTree {
  static constexpr std::uint32_t max_vertices = 16;

  std::vector<HullNode> nodes;      // the root is nodes[0]
  std::vector<double> coordinates;  // of the polytopes
  double reach = 0;                 // the largest absolute coordinate of any polytope

  Vec3 vertex(const HullNode& node, std::uint32_t i) const {
    const double* x = coordinates.data() + node.first + i;
    return {x[0], x[node.count], x[2 * node.count]};
  }
};

// The largest n.v over the vertices v of the polytope of a node, without its margin, and the index
// of that vertex. In real arithmetic on the stored doubles it is within dot_err(n, tree.reach) of
// `value`.
struct Support {
  double value;
  std::uint32_t vertex;
};
inline Support support(const HullTree& tree, const HullNode& node, const Vec3& n) {
  const double* x = tree.coordinates.data() + node.first;
  const double *y = x + node.count, *z = y + node.count;
  Support best{n[0] * x[0] + n[1] * y[0] + n[2] * z[0], 0};
  for (std::uint32_t i = 1; i < node.vertices; ++i) {
    const double value = n[0] * x[i] + n[1] * y[i] + n[2] * z[i];
    if (value > best.value) best = {value, i};
  }
  return best;
}

// Bounds the rounding error of n.v, where no coordinate of v exceeds reach: three products and two
// sums lose at most 3.01 * 2^-53 (|n0| + |n1| + |n2|) reach, and underflow 3 * 2^-1075 more.
inline double dot_err(const Vec3& n, double reach) {
  return 0x1p-51 * (std::abs(n[0]) + std::abs(n[1]) + std::abs(n[2])) * reach + 0x1p-1072;
}

// Builds the tree over a mesh that make_model() has checked. The result is the same for any number
// of threads. DEVIATION: [Zhang 2006] 3.3 builds the tree over convex pieces (decomposition.h).
// This tree divides triangles by position alone, which takes fewer node pairs per query:
// docs/rigid-models.md.
HullTree make_hull_tree(std::span<const Vec3> vertices, std::span<const Face> faces);

}  // namespace graze::rigid
