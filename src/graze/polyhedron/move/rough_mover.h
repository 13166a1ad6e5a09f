#pragma once

#include <Eigen/Core>
#include <array>
#include <vector>

#include "graze/polyhedron/model/facet_index.h"
#include "graze/polyhedron/move.h"
#include "graze/polyhedron/move/filtered.h"

namespace graze::polyhedron {

// The mover of a translation in plain doubles with proven error bounds. Excludes facets of the
// world that the mover provably does not reach and, for a facet that it may reach, the features of
// the mover that provably do not.
//
// Projected along the way, everything is at rest: a feature whose projection ("shadow") shares no
// point with the shadow of a facet never touches the facet.
class RoughMover {
 public:
  struct Shadow {
    double x, y;
  };
  // The position of a point relative to a facet, in bits. Points that have a bit in common are on
  // the same side of a plane, and so is their convex hull.
  //   0, 1        above, below the plane up to the time `until`
  //   2, 3        above, below the plane at the start
  //   4 to 9      beyond a side of the facet's box at the start
  //   10 and on   beyond a side of the facet's shadow
  using Code = std::uint64_t;
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

  // `memory` is reused and must outlive this object. If `culls` is false, facets are excluded by
  // their boxes only.
  RoughMover(const Model& mover, const Path& path, Memory& memory, bool culls = true);

  const BoxMotion& motion() const { return motion_; }

  // Returns false if the mover shares no point with the facet of this entry of the tree up to the
  // time `until`. The functions below refer to the facet of the last call that returned true.
  bool may_touch(const Obstacle& obstacle, std::uint32_t entry, double until);

  // Returns the codes of the mover's vertices. `box`: of the facet.
  std::span<const Code> codes(const Aabb& box);
  // Updates the codes for an earlier time `until`.
  void shorten(double until);

  // Tests a vertex of the mover against the facet.
  Filtered vertex_on_facet(std::uint32_t v) const;
  // Tests a facet of the mover against the corner of the facet at x.
  Filtered facet_on_vertex(const Model& mover, const Facet& own, std::size_t corner,
                           const Vec3& x) const;
  // Tests an edge of the mover against the side of the facet from x to y.
  Filtered edge_on_edge(const ModelEdge& edge, std::size_t side, const Vec3& x,
                        const Vec3& y) const;

 private:
  static constexpr Code clear_of_box = 0x10;

  bool plane_is_met(const PlaneBound& plane, double until);
  bool shadows_meet(const Model& model, const Facet& facet);
  void cast_shadows();
  Vec3 point(std::uint32_t v) const { return memory_.points.row(v).matrix(); }
  // Returns the side, in the projection, of the line through the vertices a and b of the mover on
  // which a corner of the facet lies; 0 if unclear.
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
  double err_ = 0;  // bound of the error of a coordinate
  double size_ = 0, way_size_ = 0;
  bool moves_ = false, has_shadows_ = false;
  int axis_ = 0, across_[2] = {1, 2};  // the axis of projection and the two other axes
  double slant_[2] = {0, 0};
  Shadow shadow_lo_{}, shadow_hi_{};
  double shadow_err_ = 0;

  // Values for the current facet.
  double slope_ = 0, shift_ = 0, start_err_ = 0, end_err_ = 0;  // of the heights
  std::size_t side_count_ = 0;
  std::array<double, max_sides> beyond_hi_, beyond_lo_;
  double side_err_ = 0, edge_err_ = 0;
};

// Returns the bits of the mask that are set for all corners.
inline RoughMover::Code common_code(std::span<const std::uint32_t> corners,
                                    std::span<const RoughMover::Code> codes,
                                    RoughMover::Code mask) {
  for (const std::uint32_t corner : corners) mask &= codes[corner];
  return mask;
}

// Returns whether the moving box may meet a static box at a time in [0, end].
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
