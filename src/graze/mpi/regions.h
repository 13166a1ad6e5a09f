#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "graze/broad/moving/search_scale.h"
#include "graze/broad/moving/time_slabs.h"

namespace graze::mpi {

using Cell = std::array<std::uint16_t, 3>;

// A box of cells, both corners included.
struct CellBox {
  Cell lo, hi;

  void include(const CellBox& other) {
    for (std::size_t k = 0; k < 3; ++k) {
      lo[k] = std::min(lo[k], other.lo[k]);
      hi[k] = std::max(hi[k], other.hi[k]);
    }
  }
};

// A grid of 2^16 cells along each axis. The outermost cells reach to infinity.
//
// The cell of a coordinate is a non-decreasing function of the float to which the strategy
// moving_tree rounds it. If that strategy or one that compares boxes of doubles reports a pair, the
// rounded boxes of the two features overlap, hence so do their boxes of cells.
class Grid {
 public:
  // `sample`: some of the mesh's positions, not empty.
  Grid(const broad::SearchScale& scale, std::span<const Vec3> sample);

  // Returns the cells of the box that a vertex sweeps.
  CellBox cells(const broad::SlabBoxes& boxes, std::uint32_t vertex) const;

 private:
  std::array<broad::Rounding, 3> rounding_;
  std::array<float, 3> lo_;
  float cells_per_length_;
};

// Returns the place of a cell on the Morton curve.
std::uint64_t code_of(const Cell& cell);

// The division of space among ranks: each rank has the cells of one piece of the Morton curve.
//
// Claim: a pair whose boxes of cells overlap belongs to exactly one rank, and both features touch
// the region of that rank. Proof: the pair belongs to the rank that owns the cell c = max(lo_a,
// lo_b), axis by axis, which depends on the pair alone. As the boxes overlap, lo_a <= c <= hi_a and
// lo_b <= c <= hi_b along each axis, so c lies in both boxes, and for_each_rank() of either box
// includes the owner of c.
class Regions {
 public:
  // Divides the curve so that the estimated work of the ranks is equal. `sample`: boxes of elements
  // of the mesh, one of every `stride`, the same on all ranks.
  Regions(std::span<const CellBox> sample, std::size_t stride, std::size_t ranks);

  std::size_t ranks() const { return first_.size() + 1; }
  std::size_t owner(const Cell& cell) const {
    const std::size_t only = only_owner_[block_of(cell)];
    return only < ranks() ? only : owner(code_of(cell));
  }

  // Returns the only rank whose region the box touches, or ranks() if there are several.
  std::size_t only_rank(const CellBox& box) const;

  // Calls function(rank) for the ranks whose regions the box touches, ascending.
  template <class Function>
  void for_each_rank(const CellBox& box, Function&& function) const {
    if (const std::size_t only = only_rank(box); only < ranks()) return function(only);
    for (const std::size_t rank : several_ranks(box)) function(rank);
  }

 private:
  // Space is divided into 2^15 blocks of 2^11 cells along each axis.
  static constexpr int block_bits = 11;
  static std::size_t block_of(const Cell& cell) {
    return static_cast<std::size_t>(cell[0] >> block_bits | cell[1] >> block_bits << 5 |
                                    cell[2] >> block_bits << 10);
  }

  std::size_t owner(std::uint64_t code) const;
  std::vector<std::size_t> several_ranks(const CellBox& box) const;

  std::vector<std::uint64_t> first_;       // the codes at which the pieces of ranks 1, 2, ... begin
  std::vector<std::uint32_t> only_owner_;  // by block: its owner; ranks() if it has several
};

}  // namespace graze::mpi
