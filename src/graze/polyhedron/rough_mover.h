#pragma once

#include <Eigen/Core>

#include "graze/polyhedron/move.h"

namespace graze::polyhedron {

// The mover of a translation in plain doubles: leaves out what it is clearly away from in a part of
// the time that it takes to prepare its features for exact answers.
class RoughMover {
 public:
  using Points = Eigen::Array<double, Eigen::Dynamic, 3>;

  // `points`: memory to reuse, kept as long as this.
  RoughMover(const BrushModel& mover, const Path& path, Points& points);

  // Box and way; a box that is not finite is of no use.
  const BoxMotion& motion() const { return motion_; }
  bool is_finite() const { return motion_.box.lo.allFinite() && motion_.box.hi.allFinite(); }

  // False: the mover shares no point with the facet of this entry of the tree at any time.
  bool may_touch(const Obstacle& obstacle, std::uint32_t entry) const;
  // None of the facets may be touched.
  bool is_clear(std::span<const Obstacle> world) const;

 private:
  const Points& points_;
  BoxMotion motion_;
  double err_ = 0;  // of a coordinate
  double size_ = 0, way_size_ = 0;
};

// Whether the box meets another one that stands still at a time in [0, end].
inline bool meets_moving(const BoxMotion& motion, const Aabb& still, double end) {
  TimeSpan time{0, end};
  for (int k = 0; k < 3; ++k) {
    time.clip(true, still.lo[k], motion, k);
    time.clip(false, still.hi[k], motion, k);
  }
  return !time.is_empty();
}

}  // namespace graze::polyhedron
