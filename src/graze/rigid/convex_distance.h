#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "graze/rigid/hull_tree.h"
#include "graze/rigid/motion.h"

namespace graze {

// The hull of up to HullTree::max_vertices points, blown up by a margin; the points as in HullTree.
struct PolytopeView {
  const double* x;
  std::uint32_t stride, size;
  double margin;

  Vec3 vertex(std::uint32_t i) const { return {x[i], x[i + stride], x[i + 2 * stride]}; }
};
inline PolytopeView polytope(const HullTree& tree, const HullNode& node) {
  return {tree.coordinates.data() + node.first, node.count, node.vertices, node.margin};
}

// Body b seen from body a: its point x is at rotation x + offset. Distances are measured there, in
// the coordinates of a.
//
// `err`: for points with coordinates up to reach_a and reach_b, distances in the world (under the
// two placements as maps of real numbers) differ by no more from those seen from a. `slack` bounds
// what the functions below lose by rounding; `scale` is a power of two that brings all to size 1.
struct RelativePlacement {
  Eigen::Matrix3d rotation;
  Vec3 offset;
  double err, slack, scale;
};
RelativePlacement relative_placement(const Placement& a, double reach_a, const Placement& b,
                                     double reach_b);

// What a search for the distance leaves for the next one: the pairs of vertices whose differences
// span the closest point.
struct Witness {
  std::uint8_t size = 0;  // 0: nothing is known
  std::array<std::uint8_t, 4> a{}, b{};
};

struct ConvexDistance {
  double lo = 0;  // no two points are nearer; 0 where that is all that is known
  double hi = std::numeric_limits<double>::infinity();  // of point_a and point_b, rounded up
  Vec3 normal = Vec3::Zero();  // proves `lo`: a is on its side. Of length about 1, or 0
  Vec3 point_a = Vec3::Zero(), point_b = Vec3::Zero();  // of the hulls without margins, seen from a
  Witness witness;
  std::uint32_t iterations = 0;
};

// The distance of two polytopes by the method of [Gilbert 1988], from a witness where there is one.
// Ends when `lo` exceeds `enough`, when hi - lo (without margins) is below `tol` of hi, or when
// rounding allows no better.
//   (1) lo and hi bound the distance of the points as given, as seen from a, in real arithmetic:
//       rounding is accounted for, at any scale of coordinates up to 2^1000.
//   (2) The result depends on the arguments alone.
// Cost: 4 to 8 iterations of about 60 ns.
ConvexDistance convex_distance(const PolytopeView& a, const PolytopeView& b,
                               const RelativePlacement& placement, const Witness& warm = {},
                               double enough = std::numeric_limits<double>::infinity(),
                               double tol = 1e-3);

// No triangles below the nodes are nearer than this, as their balls prove. May be negative.
double ball_separation(const HullNode& a, const HullNode& b, const RelativePlacement& placement);

// The lower bound that a direction proves: min over a of n.x - max over b of n.x, over |n|, rounded
// down, less the margins. May be negative.
double separation_along(const PolytopeView& a, const PolytopeView& b,
                        const RelativePlacement& placement, const Vec3& n);

}  // namespace graze
