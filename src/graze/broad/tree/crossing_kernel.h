#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "graze/broad/tree/packed_tree.h"
#include "graze/mesh.h"

namespace graze::crossing {

using broad::tree::Lanes;

// Sixteen closed boxes.
struct alignas(64) BoxPacket {
  std::array<Lanes<float>, 3> lo, hi;

  void clear(std::size_t i) {
    for (std::size_t k = 0; k < 3; ++k) {
      lo[k][i] = std::numeric_limits<float>::infinity();
      hi[k][i] = -lo[k][i];
    }
  }
  void set_around(std::size_t i, const BoxPacket& packet) {
    for (std::size_t k = 0; k < 3; ++k) {
      lo[k][i] = *std::min_element(packet.lo[k].begin(), packet.lo[k].end());
      hi[k][i] = *std::max_element(packet.hi[k].begin(), packet.hi[k].end());
    }
  }
};

// Sixteen triangles and four directions of each: its normal and, in its plane, the outward normals
// of its sides.
struct alignas(64) TrianglePacket {
  static constexpr std::size_t directions = 4;

  std::array<std::array<Lanes<float>, 3>, 3> corner;  // by corner and axis
  // Set by set_directions().
  std::array<std::array<Lanes<float>, 3>, directions> n;  // by direction and axis
  std::array<Lanes<float>, directions> top;               // at least n.x for x of the triangle
  Lanes<float> bottom;                                    // at most n[0].x
  Lanes<float> error;                                     // bounds the error of n.x, see the .cpp
};

// A packed tree of triangles. `id` is the index in the tree, the corners are vertices of the mesh.
// A rod is a triangle that names its second vertex twice.
struct TriangleTree : broad::tree::PackedTree<BoxPacket> {
  std::vector<TrianglePacket> triangles;
};

// Computes the directions of all triangles from their corners.
void set_directions(TriangleTree& tree);

// Appends the pairs of triangles, by their indices in the trees, of packets first <= i < last of
// `a` with triangles of `b`, except pairs that have two common vertices and pairs proven to have no
// side of one that pierces the other. Each pair is appended once if the trees are the same.
void find_candidates(const TriangleTree& a, const TriangleTree& b, std::size_t first,
                     std::size_t last, std::vector<Pair>& pairs);

}  // namespace graze::crossing
