#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "graze/broad/pair_job.h"
#include "graze/broad/search_memory.h"

namespace graze::broad {

// Bounds of the positions of a mesh's vertices at both ends of a slab of time, as floats. Bounds
// that move linearly between the two ends contain the path of a vertex, also on a curve.
//
// Each float is a non-decreasing function (one per axis) of the exact coordinate: translation,
// scaling, clamping and rounding never reverse an order. A lower bound above an upper bound
// therefore proves the order of the exact values without any error bound. Coordinates closer to
// each other than 2^-23 of their distance from the middle of the mesh may become equal. Comparisons
// of sums of coordinates need an error bound: the slack.
//
// Vertices are in spatial order: order()[i] is the i-th vertex, and place(v) is the index of vertex
// v in this order.
class MovingBounds {
 public:
  // x, y, z and the slack at the start of the slab, then at its end. For two lower bounds p and q:
  // if n.p - n.q, computed in floats, exceeds |n|_1 times the larger slack, then n.p > n.q for the
  // exact points, up to denormal numbers (see `slack` in the .cpp). Upper bounds have no slack.
  struct alignas(32) Corner : std::array<float, 8> {};

  // x, y, z and the slack of the control points of a curve, in their order. Each coordinate is the
  // float that is nearest to the given one in the units of the bounds. The slack proves the order
  // of exact points as that of lower bounds does.
  struct alignas(64) Control : std::array<float, 16> {};

  // x, y, z and the slack of a vertex at the start of the slab, without the job's separation. Each
  // coordinate is the float that is nearest to the exact one in the units of the bounds.
  struct alignas(16) Point : std::array<float, 4> {};

  // Computes the bounds for the job's slab, widened by half the job's separation. They lie in
  // `memory`, not owned.
  // Precondition: all positions are finite.
  MovingBounds(const PairJob& job, SearchMemory& memory);

  // Returns the memory that the bounds need, and the memory that the constructor needs beside it.
  static std::array<std::size_t, 2> bytes(const PairJob& job);

  std::span<const std::uint32_t> order() const { return order_; }
  std::uint32_t place(std::uint32_t vertex) const { return place_[vertex]; }

  // The bounds, indexed by place. For exact positions both are the same array.
  const Corner* lo() const { return corners_[0].data(); }
  const Corner* hi() const { return corners_[exact_ ? 0 : 1].data(); }

  // The control points, indexed by place; empty unless the job has curves.
  std::span<const Control> controls() const { return controls_; }

  // The vertices at the start of the slab, by place: the four numbers of a Point.
  class Points {
   public:
    Points(const float* first, std::size_t stride) : first_(first), stride_(stride) {}
    const float* operator[](std::uint32_t place) const { return first_ + stride_ * place; }

   private:
    const float* first_;
    std::size_t stride_;  // in floats
  };
  // Precondition: the job seeks crossings.
  Points points() const {
    if (points_.empty()) return {lo()->data(), lo()->size()};
    return {points_.front().data(), points_.front().size()};
  }

 private:
  bool exact_;  // lower and upper bounds are equal
  std::span<std::uint32_t> order_, place_;
  std::array<std::span<Corner>, 2> corners_;  // lower and upper bounds
  std::span<Control> controls_;
  std::span<Point> points_;  // empty if they are the lower bounds
};

}  // namespace graze::broad
