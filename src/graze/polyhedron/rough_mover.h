#pragma once

#include <Eigen/Core>
#include <array>
#include <vector>

#include "graze/polyhedron/filtered.h"
#include "graze/polyhedron/move.h"

namespace graze::polyhedron {

// The mover of a translation in plain doubles with proven bounds: leaves out facets of the world
// that it is clearly away from, and of a facet that may be met those of its own features that are.
//
// Seen along the way, everything is at rest: there is a plane on which things leave shadows, and
// what does not share a point with the shadow of a facet never touches it.
class RoughMover {
 public:
  struct Shadow {
    double x, y;
  };
  // Bits that tell where a point is in relation to the facet. Points that have one in common are on
  // the same side of a plane, and so is their convex hull.
  using Code = std::uint64_t;
  //   0, 1     above, below the plane up to the time asked of
  //   2, 3     above, below the plane at the start
  //   4 to 9   beyond a side of the facet's box at the start
  //   then     beyond a side of the facet's shadow
  static constexpr std::size_t max_sides = 27;
  static constexpr Code on_the_way = ~Code{0x3fc}, at_the_start = ~Code{3};

  struct Memory {
    Eigen::Array<double, Eigen::Dynamic, 3> points;
    Eigen::Array<double, Eigen::Dynamic, 2> shadows;
    Eigen::Array<double, Eigen::Dynamic, 1> heights;
    Eigen::Array<double, Eigen::Dynamic, static_cast<int>(max_sides)> sides;
    std::vector<Shadow> corners;
    std::vector<Code> codes;
  };

  // `memory`: to reuse, kept as long as this. `culls`: false leaves out no facet but by its box.
  RoughMover(const BrushModel& mover, const Path& path, Memory& memory, bool culls = true);

  const BoxMotion& motion() const { return motion_; }

  // False: the mover shares no point with the facet of this entry of the tree at any time up to
  // `until`. What follows is about the facet that this was last asked of, and true.
  bool may_touch(const Obstacle& obstacle, std::uint32_t entry, double until);

  // Of the mover's vertices, up to the time asked of.
  std::span<const Code> codes(const Aabb& box);
  // The same with an earlier time.
  void shorten(double until);

  // A vertex of the mover and the facet.
  Filtered vertex_on_facet(std::uint32_t v) const;
  // A facet of the mover and the corner of the facet that is at x.
  Filtered facet_on_vertex(const BrushModel& mover, const Facet& own, std::size_t corner,
                           const Vec3& x) const;
  // An edge of the mover and the side of the facet from x to y.
  Filtered edge_on_edge(const ModelEdge& edge, std::size_t side, const Vec3& x,
                        const Vec3& y) const;

 private:
  static constexpr Code clear_of_box = 0x10;

  bool plane_is_met(const PlaneBound& plane, double until);
  bool shadows_meet(const BrushModel& model, const Facet& facet);
  void cast_shadows();
  Vec3 point(std::uint32_t v) const { return memory_.points.row(v).matrix(); }
  // On which side of the line from a to b, vertices of the mover, a corner of the facet is in the
  // shadow; 0 where that is not clear.
  int side_of(std::uint32_t a, std::uint32_t b, std::size_t corner) const {
    const auto& shadows = memory_.shadows;
    const Shadow& c = memory_.corners[corner];
    const double turn = (shadows(b, 0) - shadows(a, 0)) * (c.y - shadows(a, 1)) -
                        (shadows(b, 1) - shadows(a, 1)) * (c.x - shadows(a, 0));
    return turn > edge_err_ ? 1 : turn < -edge_err_ ? -1 : 0;
  }
  Filtered meeting(const Vec3& e, double e_err, const Vec3& d, double d_err, const Vec3& g) const;
  Shadow shadow_of(const Vec3& x) const {
    return {x[across_[0]] - x[axis_] * slant_[0], x[across_[1]] - x[axis_] * slant_[1]};
  }

  Memory& memory_;
  bool culls_;
  BoxMotion motion_;
  double err_ = 0;  // of a coordinate
  double size_ = 0, way_size_ = 0;
  bool moves_ = false, has_shadows_ = false;
  int axis_ = 0, across_[2] = {1, 2};  // of the shadows
  double slant_[2] = {0, 0};
  Shadow shadow_lo_{}, shadow_hi_{};
  double shadow_err_ = 0;

  // The facet.
  double slope_ = 0, shift_ = 0, start_err_ = 0, end_err_ = 0;  // of heights
  std::size_t side_count_ = 0;
  std::array<double, max_sides> beyond_hi_, beyond_lo_;
  double side_err_ = 0, edge_err_ = 0;
};

// The bits of the mask that are set for all corners.
inline RoughMover::Code common_code(std::span<const std::uint32_t> corners,
                                    std::span<const RoughMover::Code> codes,
                                    RoughMover::Code mask) {
  for (const std::uint32_t corner : corners) mask &= codes[corner];
  return mask;
}

// Whether the box meets another one that stands still at a time in [0, end].
inline bool meets_moving(const BoxMotion& motion, const Aabb& still, double end) {
  if (!overlap(motion.swept, still)) return false;
  TimeSpan time{0, end};
  for (int k = 0; k < 3; ++k) {
    time.clip(true, still.lo[k], motion, k);
    time.clip(false, still.hi[k], motion, k);
  }
  return !time.is_empty();
}

}  // namespace graze::polyhedron
