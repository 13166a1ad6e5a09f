#pragma once

#include <Eigen/Core>
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
  // Planes that have a point on their far side, in bits. Points that have a bit in common are on
  // the same side of a plane, and so is their convex hull.
  //   0, 1     above, below the plane of the facet       2 to 7    beyond a side of its box
  //   8 to 31  beyond a side of the facet
  //   32 on    the same at the start of the part
  using Code = std::uint64_t;
  static constexpr std::size_t max_sides = 24;
  static constexpr Code on_the_way = 0xffffffff, at_the_start = ~on_the_way;

  struct Memory {
    Eigen::Array<double, Eigen::Dynamic, 3> points;  // three for each vertex: first, middle, last
    Eigen::Array<double, Eigen::Dynamic, 1> values;
    std::vector<Code> codes;
  };

  // `memory` is reused and must outlive this object, as must mover and path.
  RoughTurn(const Model& mover, const Path& path, Memory& memory);

  std::size_t parts() const { return parts_; }
  // Returns the time at which a part begins, which is where the one before it ends.
  double begin_of(std::size_t part) const {
    return static_cast<double>(part) / static_cast<double>(parts_);
  }
  // Places the mover. All functions below are about the part of the last call.
  void enter(std::size_t part);
  const Aabb& box() const { return box_; }

  // Returns false if the mover shares no point with the facet of this entry of the tree. codes() is
  // about the facet of the last call that returned true.
  bool may_touch(const Obstacle& obstacle, std::uint32_t entry);
  // Returns the codes of the mover's vertices.
  std::span<const Code> codes() const { return memory_.codes; }

  // Returns false if a facet of the mover does not reach a point of the world, and if an edge of
  // the mover does not reach the segment from x to y.
  bool may_reach(std::span<const std::uint32_t> corners, const Facet& own, const Vec3& x) const;
  bool may_cross(const ModelEdge& edge, const Vec3& x, const Vec3& y) const;

 private:
  Eigen::Index vertices() const { return memory_.points.rows() / 3; }
  Vec3 middle(std::uint32_t v) const { return memory_.points.row(vertices() + v).matrix(); }
  // Returns an error bound of the difference of the products of `axis` with a point of the mover
  // and with a point of the world of at most this size (the sum of its parts).
  double product_err(const Vec3& axis, double size) const;
  // Sets the bits `bit` and `bit << 32` of the points whose value exceeds `at`, times `sign`.
  bool mark(double sign, double at, Code bit);
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
  double err_ = 0, size_ = 0;  // of a coordinate; of a point, the sum of its parts
};

// Returns the bits of the mask that are set for all corners.
inline RoughTurn::Code common_turn_code(std::span<const std::uint32_t> corners,
                                        std::span<const RoughTurn::Code> codes,
                                        RoughTurn::Code mask) {
  for (const std::uint32_t corner : corners) mask &= codes[corner];
  return mask;
}

}  // namespace graze::polyhedron
