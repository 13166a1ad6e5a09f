#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "graze/core/mesh.h"
#include "graze/core/vec3.h"

namespace graze {

// A node bounds its triangles twice: by a ball, and by a polytope with few vertices blown up by
// `margin` (rounding, mostly; 0 for a leaf, whose polytope is its triangle).
struct HullNode {
  Vec3 centre;
  double radius;
  double margin;
  std::uint32_t first;     // the vertices of the polytope: coordinates[first ...], all x, y, z
  std::uint32_t count;     // how many, a multiple of 4: the last may be repeated
  std::uint32_t child;     // the first of its two children, the other is next to it; 0: a leaf
  std::uint32_t face;      // the triangle of a leaf
  std::uint32_t faces;     // how many triangles are below it
  std::uint32_t vertices;  // distinct ones of the polytope, <= count

  bool is_leaf() const { return child == 0; }
};
static_assert(sizeof(HullNode) == 64);  // a line of the cache

// Which node of a pair, not both leaves, a search divides: the first, or else the second.
inline bool divides_first(const HullNode& a, const HullNode& b) {
  return b.is_leaf() || (!a.is_leaf() && a.radius >= b.radius);
}

// Puts the pairs of nodes that the pair (i, j) is divided into on a stack of pairs.
template <class Stack>
void push_parts(Stack& stack, std::uint32_t i, const HullNode& a, std::uint32_t j,
                const HullNode& b) {
  const bool first = divides_first(a, b);
  for (const std::uint32_t k : {0u, 1u})
    stack.push_back({first ? a.child + k : i, first ? j : b.child + k});
}

// The convex hull tree of [Zhang 2006] 3.3, down to the triangles.
//   (1) The ball and the polytope (with its margin) of a node contain all triangles below it, in
//       real arithmetic on the stored doubles.
//   (2) Every triangle of the mesh is in one leaf.
//   (3) At most `max_vertices` distinct vertices per node and 1 KiB per triangle in all.
struct HullTree {
  static constexpr std::uint32_t max_vertices = 16;

  std::vector<HullNode> nodes;      // the root is nodes[0]
  std::vector<double> coordinates;  // of the polytopes
  double reach = 0;                 // no coordinate of a polytope is larger than this
  std::uint32_t depth = 0;          // nodes on the longest way from the root to a leaf

  Vec3 vertex(const HullNode& node, std::uint32_t i) const {
    const double* x = coordinates.data() + node.first + i;
    return {x[0], x[node.count], x[2 * node.count]};
  }
};

// How far the polytope of a node (without its margin) reaches along n: the largest n.v and the
// vertex with it. In real arithmetic on the stored doubles the support is within
// dot_err(n, tree.reach) of `value`.
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

// Bounds the rounding of n.v for |v| <= reach in each coordinate: three products and two sums lose
// at most 3.01 * 2^-53 (|n0| + |n1| + |n2|) reach, and underflow 3 * 2^-1075 more.
inline double dot_err(const Vec3& n, double reach) {
  return 0x1p-51 * (std::abs(n[0]) + std::abs(n[1]) + std::abs(n[2])) * reach + 0x1p-1072;
}

// The tree over a mesh that is sound (rigid_model.h sees to it). The same bits for any number of
// threads.
// DEVIATION: [Zhang 2006] 3.3 builds the tree over convex pieces. To keep pieces together costs 1.2
// times (bunny) to 3.4 times (finest torus knot) as many pairs of nodes per query of the distance
// as to divide triangles by place alone: pieces are long and bent, and hulls of few vertices need
// none. So the pieces are told (decomposition.h) and not used here.
HullTree make_hull_tree(std::span<const Vec3> vertices, std::span<const Face> faces);

}  // namespace graze
