#pragma once

#include <Eigen/Core>
#include <array>
#include <vector>

#include "graze/polyhedron/model/facet_index.h"
#include "graze/polyhedron/move.h"

namespace graze::polyhedron {

// The mover of a rotation in plain doubles with proven error bounds, part by part in the order of
// time. Excludes facets of the world that the mover provably does not reach during a part and, for
// a facet that it may reach, the features of the mover that provably do not.
//
// During a part every vertex stays in the triangle of three points (rough_turn.cpp), so that a
// plane with all three on one side has the vertex on that side at all times of the part.
class RoughTurn {
 public:
  // The planes on whose far side a point lies, in bits. Points that have a bit in common are on the
  // same side of a plane, and so is their convex hull.
  //   0, 1     above, below the plane of the facet       2 to 7    beyond a side of its box
  //   8 to 31  beyond a side of the facet
  //   32 on    the same at the start of the part
  using Code = std::uint64_t;
  static constexpr std::size_t max_sides = 24;
  static constexpr Code on_the_way = 0xffffffff, at_the_start = ~on_the_way;

  struct Memory {
    Eigen::Array<double, Eigen::Dynamic, 3> arms;    // of each vertex: from the pivot, in the body
    Eigen::Array<double, Eigen::Dynamic, 3> points;  // three for each vertex: first, middle, last
    Eigen::Array<double, Eigen::Dynamic, 3> lo, hi;  // boxes of these three, without their error
    Eigen::Array<double, Eigen::Dynamic, 1> values;  // of the points along an axis
    // Per vertex, of its first point and of the greatest of its three: heights above the plane of
    // the facet; then values along the sides of the facet. Also the least of the three heights.
    Eigen::Array<double, Eigen::Dynamic, static_cast<int>(1 + max_sides)> first, greatest;
    Eigen::Array<double, Eigen::Dynamic, 1> least_height;
    std::vector<Code> codes;
  };

  // `memory` is reused and must outlive this object, as must mover and path.
  RoughTurn(const Model& mover, const Path& path, Memory& memory);

  std::size_t parts() const { return parts_; }
  // Returns the time at which a part begins, which is where the one before it ends.
  double begin_of(std::size_t part) const {
    return static_cast<double>(part) / static_cast<double>(parts_);
  }
  // Places the mover from the time `from` to the time `until` of one part, from <= until. All
  // functions below refer to the times of the last call.
  void enter(double from, double until);
  const Aabb& box() const { return box_; }

  // Returns false if the plane does not meet the box.
  bool box_meets(const PlaneBound& plane) const;
  // Returns false if the mover shares no point with the facet of this entry of the tree.
  bool may_touch(const Obstacle& obstacle, std::uint32_t entry);
  // Computes the codes of the mover's vertices for the facet, with this box, of the last call of
  // may_touch() that returned true. codes() returns them.
  void set_codes(const Aabb& box);
  std::span<const Code> codes() const { return memory_.codes; }

  // Returns a box that contains these vertices of the mover.
  Aabb box_of(std::span<const std::uint32_t> corners) const;
  // Return false only if a facet of the mover does not reach the point x of the world, or an edge
  // of the mover the segment from x to y.
  bool may_reach(std::span<const std::uint32_t> corners, const Facet& own, const Vec3& x) const;
  bool may_cross(const ModelEdge& edge, const Vec3& x, const Vec3& y) const;

 private:
  Eigen::Index vertices() const { return memory_.points.rows() / 3; }
  Vec3 middle(std::uint32_t v) const { return memory_.points.row(vertices() + v).matrix(); }
  // Returns an error bound of the difference of the products of `axis` with a point of the mover
  // and with a point of the world of at most this size (the sum of its parts).
  double product_err(const Vec3& axis, double size) const;
  // Computes the values of all points along the axis.
  void project(const Vec3& axis);
  // Keeps the values of the first points and the greatest ones.
  void keep_values(Eigen::Index column);
  // Returns whether the triangles of these vertices and the points x and y are on different sides
  // of a plane across `axis`.
  bool parts_along(const Vec3& axis, std::span<const std::uint32_t> corners, const Vec3& x,
                   const Vec3& y) const;

  const Model& mover_;
  const Path& path_;
  Memory& memory_;
  std::size_t parts_ = 1;
  Vec3 centre_;
  Aabb box_;
  Vec3 box_centre_, box_half_;
  double err_ = 0, size_ = 0;  // of a coordinate; of a point, the sum of its parts

  // Values for the current facet.
  double height_err_ = 0;
  std::size_t side_count_ = 0;
  std::array<double, max_sides> beyond_;  // a lower value is beyond the side
};

// Returns the bits of the mask that are set for all corners.
inline RoughTurn::Code common_turn_code(std::span<const std::uint32_t> corners,
                                        std::span<const RoughTurn::Code> codes,
                                        RoughTurn::Code mask) {
  for (const std::uint32_t corner : corners) mask &= codes[corner];
  return mask;
}

}  // namespace graze::polyhedron
