#pragma once

#include <cstdint>
#include <limits>

#include "graze/rigid/model/parts.h"
#include "graze/rigid/motion.h"

namespace graze::rigid {

// A part of a placed body. Neither the parts nor the placement are owned.
struct PlacedPart {
  const Parts& parts;
  std::uint32_t index;
  double margin;  // of the part
  const Placement& at;

  // Returns the point of the part that is extreme along n, in world coordinates.
  Vec3 extreme(const Vec3& n) const {
    return at * parts.extreme(index, at.rotation.transpose() * n);
  }
};

// The end of a search for closest points: hi <= near, lo >= far, or lo - beyond is positive and at
// least (1 - tol) (hi - beyond).
struct ClosestGoal {
  double size;  // length: the size of the parts and of their distance, for scaling
  double near = -1;
  double beyond = 0;
  double far = std::numeric_limits<double>::infinity();
  double tol = 0.1;
  std::uint32_t max_steps = 64;
};

struct ClosestParts {
  double lo = -std::numeric_limits<double>::infinity();
  double hi = std::numeric_limits<double>::infinity();  // |a - b|; only of leaves
  Vec3 n = Vec3::Zero();                                // proves `lo`; from b to a; of length 1
  Vec3 a = Vec3::Zero(), b = Vec3::Zero();              // points of the parts
  std::uint32_t steps = 0;
};

// Returns bounds on the distance of two convex parts that are given by their support functions.
//
// n proves lo: lo is the least n.x over part a minus the greatest n.y over part b, minus the
// margins. a and b are convex combinations of extreme points. All numbers are as computed in
// doubles. Let e bound the errors of placing a point, of Parts::extreme() and of a sum of four
// products. Then the distance is at least lo - e and, for leaves, at most hi + e. `hint`: a
// direction to begin with, from b to a, or 0.
//
// The search is that of [Gilbert 1988] (GJK). Where rounding stops it, it begins anew from three
// extreme points around the best direction. Where that fails too, steps of Frank and Wolfe follow,
// which need no simplex: the segment from the closest point to the next extreme point.
// Cost: 4 to 30 steps, each with two extreme points.
ClosestParts closest_parts(const PlacedPart& a, const PlacedPart& b, const Vec3& hint,
                           const ClosestGoal& goal);

}  // namespace graze::rigid
