#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "graze/broad/pair_job.h"
#include "graze/broad/time_slabs.h"

namespace graze {

// Where the vertices of a mesh are at both ends of a slab of time, along the axes and along the
// diagonals x+-y, y+-z, z+-x, in 32 bits.
//
// Each number is a non-decreasing function (one for each direction) of the exact value along the
// direction: rounding, moving the origin, scaling and clamping never change an order. So a lower
// bound that is above an upper one proves that the exact values are in that order, without any
// bound for an error. Values that are closer to each other than 2^-23 of their distance from the
// middle of the mesh may become the same.
//
// Vertices are in spatial order: the i-th is vertex order()[i], and where v is says place(v).
class MovingBounds {
 public:
  // x, y, z at the begin and at the end, 0, 0.
  struct alignas(32) Axes : std::array<float, 8> {};
  // x+y, y+z, z+x, x-y, y-z, z-x, 0, 0 at the begin and at the end.
  struct alignas(64) Diagonals : std::array<float, 16> {};

  // All positions are finite; widened by half the job's separation.
  MovingBounds(const PairJob& job, const Slab& slab);

  std::span<const std::uint32_t> order() const { return order_; }
  std::uint32_t place(std::uint32_t vertex) const { return place_[vertex]; }

  // By place. Where positions are exact, lower and upper bounds are the same memory.
  const Axes* axes_lo() const { return axes_[0].data(); }
  const Axes* axes_hi() const { return axes_[exact_ ? 0 : 1].data(); }
  const Diagonals* diagonals_lo() const { return diagonals_[0].data(); }
  const Diagonals* diagonals_hi() const { return diagonals_[exact_ ? 0 : 1].data(); }

 private:
  bool exact_;
  std::vector<std::uint32_t> order_, place_;
  std::array<std::vector<Axes>, 2> axes_;  // lower and upper bounds
  std::array<std::vector<Diagonals>, 2> diagonals_;
};

}  // namespace graze
