#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "graze/rigid/model/hull_tree.h"
#include "graze/rigid/motion.h"

namespace graze::rigid {

// The convex hull of up to max_vertices points, enlarged by a margin. The points are stored as in
// HullTree. Not owned.
struct PolytopeView {
  static constexpr std::uint32_t max_vertices = 3 * HullTree::max_vertices;

  const double* x;
  std::uint32_t stride, size;
  double margin;

  Vec3 vertex(std::uint32_t i) const { return {x[i], x[i + stride], x[i + 2 * stride]}; }
};
inline PolytopeView polytope(const HullTree& tree, const HullNode& node) {
  return {tree.coordinates(node), node.stride(), node.vertices, node.margin};
}

// The placement of body b in the coordinates of body a: the point x of b is at rotation x + offset.
// Distances are measured in the coordinates of a.
//
// `err` bounds the difference between distances in the world, under the two placements as maps of
// real numbers, and distances in the coordinates of a, for points with coordinates up to reach_a
// and reach_b. `slack` bounds the rounding errors of the functions below. `scale` is a power of two
// that scales all coordinates to size 1.
struct RelativePlacement {
  Eigen::Matrix3d rotation;
  Vec3 offset;
  double err, slack, scale;
};
RelativePlacement relative_placement(const Placement& a, double reach_a, const Placement& b,
                                     double reach_b);

// The pairs of vertices whose differences span the closest point; a warm start for the next search.
struct Witness {
  std::uint8_t size = 0;  // 0: no warm start
  std::array<std::uint8_t, 4> a{}, b{};
};

struct ConvexDistance {
  double lo = 0;  // a lower bound on the distance; 0 if nothing better is proven
  double hi = std::numeric_limits<double>::infinity();  // |point_a - point_b|, rounded up
  Vec3 normal = Vec3::Zero();  // proves `lo`, points from b to a; of length about 1, or 0
  // The closest points of the hulls without margins, in the coordinates of a.
  Vec3 point_a = Vec3::Zero(), point_b = Vec3::Zero();
  Witness witness;
  std::uint32_t iterations = 0;
};

// Returns the distance of two polytopes by the method of [Gilbert 1988], started from the witness
// `warm` if it is not empty. Ends when `lo` exceeds `enough`, when hi - lo (without margins) is
// below `tol` times hi, or when rounding allows no progress.
//   (1) lo and hi bound the distance in the coordinates of a in real arithmetic; rounding is
//       included, for coordinates up to 2^1000.
//   (2) The result depends on the arguments alone.
// Cost: usually 4 to 8 iterations, each linear in the number of vertices.
ConvexDistance convex_distance(const PolytopeView& a, const PolytopeView& b,
                               const RelativePlacement& placement, const Witness& warm = {},
                               double enough = std::numeric_limits<double>::infinity(),
                               double tol = 1e-3);

// Returns a lower bound on the distance of the triangles below two nodes, proven by the balls of
// the nodes. May be negative.
double ball_separation(const HullNode& a, const HullNode& b, const RelativePlacement& placement);

// Returns the lower bound on the distance that the direction n proves: the least n.x over a minus
// the greatest n.x over b, divided by |n|, rounded down, minus the margins. May be negative.
double separation_along(const PolytopeView& a, const PolytopeView& b,
                        const RelativePlacement& placement, const Vec3& n);

}  // namespace graze::rigid
