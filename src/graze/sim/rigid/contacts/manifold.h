#pragma once

#include <vector>

#include "graze/rigid/motion.h"
#include "graze/sim/rigid/rigid_shape.h"

namespace graze::sim::rigid {

struct ManifoldPoint {
  Vec3 point;   // in world coordinates, midway between both surfaces
  Vec3 normal;  // of unit length, from b to a
  double distance;
};

// Returns the contact points of two placed shapes that are within `reach` of each other.
//
// Convex shapes: at most four corners of the overlap of two facing faces, and the closest points
// where an edge or a vertex is nearer than those faces. Other shapes: closest points of pairs of
// triangles, at most 32 and spread out, the nearest among them.
// Computed in doubles without error bounds: an error changes impulses, never the certification.
std::vector<ManifoldPoint> find_manifold(const ShapeData& a, const graze::rigid::Placement& at_a,
                                         const ShapeData& b, const graze::rigid::Placement& at_b,
                                         double reach);

// A certified lower bound on a distance.
struct Separation {
  double distance;
  Vec3 normal;  // of unit length, from b to a: direction along which it holds; 0 if none was found
};
// Returns the larger of two bounds on the distance of two placed convex shapes: along the line of
// their closest points, and along the normal of a face that nearly has that direction.
Separation convex_separation(const ShapeData& a, const graze::rigid::Placement& at_a,
                             const ShapeData& b, const graze::rigid::Placement& at_b);

}  // namespace graze::sim::rigid
