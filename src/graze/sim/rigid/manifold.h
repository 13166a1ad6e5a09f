#pragma once

#include <vector>

#include "graze/rigid/motion.h"
#include "graze/sim/rigid/rigid_shape.h"

namespace graze {

struct ManifoldPoint {
  Vec3 point;   // in the world, in the middle between both
  Vec3 normal;  // from b to a, of length 1
  double distance;
};

// Where two placed shapes are within `reach` of each other, as places for impulses: for convex
// shapes the corners of what two faces share, at most four, and one point where an edge or a vertex
// is nearest; else the closest points of triangles, at most a few dozen, spread out, the nearest
// among them. In double arithmetic: impulses may be wrong, nothing else depends on it.
std::vector<ManifoldPoint> find_manifold(const RigidShape& a, const Placement& at_a,
                                         const RigidShape& b, const Placement& at_b, double reach);

// How far two placed convex shapes are apart, at least, and along which direction (from b to a, of
// length 1; 0 where none was found): that between the closest points, or across a face that looks
// nearly so, whichever proves more. Certified.
struct Separation {
  double distance;
  Vec3 normal;
};
Separation convex_separation(const RigidShape& a, const Placement& at_a, const RigidShape& b,
                             const Placement& at_b);

}  // namespace graze
