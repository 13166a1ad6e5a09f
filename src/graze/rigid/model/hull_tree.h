#pragma once

#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <memory>
#include <mutex>
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
  std::uint32_t vertices;     // the number of distinct vertices of the polytope
  std::uint32_t first;        // where the polytope begins in the coordinates of the tree
  std::uint32_t child;        // index of the first child; the second is child + 1. 0: a leaf
  std::uint32_t face;         // a leaf: its triangle. Otherwise: see hull_tree.cpp
  std::uint32_t faces;        // the number of triangles below the node
  std::atomic<bool> bounded;  // the ball and the polytope are computed

  bool is_leaf() const { return child == 0; }
  // The coordinates are stored as all x, all y, all z, of this many vertices each: a multiple of 4.
  // The last vertex is repeated.
  std::uint32_t stride() const { return (vertices + 3) / 4 * 4; }
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

// The convex hull tree of [Zhang 2006] 3.3, with one triangle per leaf. A node is bounded when it
// is first visited: most queries visit few nodes of a large mesh.
//   (1) The ball and the polytope (with its margin) of a node contain all triangles below it, in
//       real arithmetic on the stored doubles.
//   (2) Every triangle of the mesh is in exactly one leaf.
//   (3) A node has at most max_vertices distinct vertices. The tree takes at most 1 KiB per
//       triangle.
//   (4) Nodes depend on the mesh alone, not on the order of visits. Threads may share a tree.
// DEVIATION: [Zhang 2006] 3.3 builds the tree over convex pieces (decomposition.h). This tree
// divides triangles by position, and at creases by their normals, which takes fewer node pairs per
// query: docs/rigid-models.md.
class HullTree {
 public:
  static constexpr std::uint32_t max_vertices = 16;

  HullTree() = default;
  // Divides the triangles of a mesh that make_model() has checked. The mesh must outlive the tree
  // and stay where it is.
  HullTree(std::span<const Vec3> vertices, std::span<const Face> faces);

  std::uint32_t size() const { return size_; }   // the number of nodes
  const HullNode& node(std::uint32_t i) const {  // the root is node(0)
    const HullNode& node = nodes_[i];
    if (!node.bounded.load(std::memory_order_acquire)) bound(i);
    return node;
  }
  // The triangles in the order of the leaves, in which those of a node are adjacent, and where
  // those of an inner node begin.
  std::span<const std::uint32_t> order() const { return order_; }
  static std::uint32_t begin(const HullNode& inner) { return inner.face; }
  // The box around the triangles below a node, of floats that are rounded outward, with child and
  // face of the HullNode. Known for every node from the beginning. Two children fill a cache line.
  struct Box {
    std::array<float, 3> lo, hi;
    std::uint32_t child, face;
  };
  const Box& box(std::uint32_t i) const { return boxes_[i]; }
  double reach() const { return reach_; }  // no coordinate of a polytope is larger in size
  const double* coordinates(const HullNode& node) const { return &coordinates_[node.first]; }
  Vec3 vertex(const HullNode& node, std::uint32_t i) const {
    const double* x = coordinates(node) + i;
    return {x[0], x[node.stride()], x[2 * node.stride()]};
  }
  std::size_t bytes() const;  // memory, including what is reserved for nodes that were not visited

 private:
  void bound(std::uint32_t i) const;
  void make_boxes();

  std::span<const Vec3> vertices_;
  std::span<const Face> faces_;
  std::vector<std::uint32_t> order_;  // the triangles; those of a node are adjacent
  int exponent_ = 0;                  // coordinates are below 2 to the power of exponent_ + 1
  double reach_ = 0;
  std::uint32_t size_ = 0, coordinates_size_ = 0;
  std::unique_ptr<HullNode[]> nodes_;
  std::vector<Box> boxes_;
  std::unique_ptr<double[]> coordinates_;                      // of the polytopes
  std::unique_ptr<std::array<std::mutex, 64>> being_bounded_;  // by node, modulo 64
};

// The largest n.v over the vertices v of the polytope of a node, without its margin, and the index
// of that vertex. In real arithmetic on the stored doubles it is within dot_err(n, tree.reach()) of
// `value`.
struct Support {
  double value;
  std::uint32_t vertex;
};
inline Support support(const HullTree& tree, const HullNode& node, const Vec3& n) {
  const double* x = tree.coordinates(node);
  const double *y = x + node.stride(), *z = y + node.stride();
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

}  // namespace graze::rigid
