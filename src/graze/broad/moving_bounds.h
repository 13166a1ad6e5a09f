#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "graze/broad/pair_job.h"
#include "graze/broad/time_slabs.h"

namespace graze {

// Where the vertices of a mesh are at both ends of a slab of time, in 32 bits.
//
// Each coordinate is a non-decreasing function (one for each axis) of the exact one: moving the
// origin, scaling, clamping and rounding never change an order. So a lower bound that is above an
// upper one proves that the exact values are in that order, without any bound for an error. Values
// that are closer to each other than 2^-23 of their distance from the middle of the mesh may become
// the same. What compares sums of coordinates needs a bound: the slack.
//
// Vertices are in spatial order: the i-th is vertex order()[i], and where v is says place(v).
class MovingBounds {
 public:
  // x, y, z and the slack at the begin, and at the end. Two points p and q that are lower bounds:
  // if n.p - n.q in floats is more than |n|_1 times the larger slack, then n.p > n.q for the exact
  // points, up to denormal numbers (`slack` in the .cpp). Upper bounds have none.
  struct alignas(32) Corner : std::array<float, 8> {};

  // All positions are finite; widened by half the job's separation.
  MovingBounds(const PairJob& job, const Slab& slab);

  std::span<const std::uint32_t> order() const { return order_; }
  std::uint32_t place(std::uint32_t vertex) const { return place_[vertex]; }

  // By place. Where positions are exact, lower and upper bounds are the same memory.
  const Corner* lo() const { return corners_[0].data(); }
  const Corner* hi() const { return corners_[exact_ ? 0 : 1].data(); }

 private:
  bool exact_;
  std::vector<std::uint32_t> order_, place_;
  std::array<std::vector<Corner>, 2> corners_;  // lower and upper bounds
};

}  // namespace graze
