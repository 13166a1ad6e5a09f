#pragma once

#include "graze/broad/moving/moving_tree_kernel.h"

namespace graze::broad::tree {

// Computes tree.triangles of packets first <= i < last of a tree of faces or rods.
void place_triangles(MovingTree<Bounds::swept>& tree, const MovingBounds& positions,
                     std::size_t first, std::size_t last);
void place_triangles(MovingTree<Bounds::at_both_ends>& tree, const MovingBounds& positions,
                     std::size_t first, std::size_t last);

// Adds the pairs of the features in packets first <= i < last of `a` with the features of `b` whose
// boxes overlap at the begin of the slab, except pairs with two common vertices and pairs that are
// proven to have no side of one that pierces the other, at the begin of the slab. Each pair is
// added once if the trees are the same. `b` is a tree of faces, `a` one of faces or rods.
// first_id_of_a is added to the ids of `a`. Precondition: the triangles of both trees are placed.
void find_crossings(const MovingTree<Bounds::swept>& a, const MovingTree<Bounds::swept>& b,
                    const MovingBounds& positions, std::uint32_t first_id_of_a, std::size_t first,
                    std::size_t last, PairBlock& block);
void find_crossings(const MovingTree<Bounds::at_both_ends>& a,
                    const MovingTree<Bounds::at_both_ends>& b, const MovingBounds& positions,
                    std::uint32_t first_id_of_a, std::size_t first, std::size_t last,
                    PairBlock& block);

}  // namespace graze::broad::tree
