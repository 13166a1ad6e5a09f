#pragma once

#include <vector>

#include "graze/polyhedron/move.h"

namespace graze::polyhedron {

// Where two bodies touch or nearly do. `point` is on the world's surface, the mover's is `gap`
// away.
struct ContactPoint : Contact {
  double gap = 0;
};

// All places where the mover at the pose and the world come within `distance` of each other, in
// double arithmetic:
//   vertex_facet  a vertex and the point of the facet next to it, whether inside or on its border;
//   facet_vertex  the same the other way round;
//   edge_edge     two edges, not parallel, and the points in which they pass each other.
// For poses at which the bodies do not cross, up to rounding:
//   (1) `point` is on the world's surface, and point + gap normal within distance/5 of the mover's
//       (what is beside a facet by less than distance/8 has its normal). 0 <= gap <= distance.
//   (2) Closest first. If the bodies come within `distance`, the first gap is their distance.
//   (3) No two of an obstacle have both their points within `distance` of each other and about the
//       same normal: the closer one stands for both. So a box on a floor has four contacts, and two
//       boxes the corners of the polygon which they share.
//   (4) The answer depends on the arguments alone.
// Of a closed model only the front counts, of others both sides. Empty where anything is invalid.
// Cost: facets near the mover times its facets near them.
// Reference: [van Waveren 2005] 2.6.
std::vector<ContactPoint> contacts(std::span<const Obstacle> world, const BrushModel& mover,
                                   const Pose& pose, double distance, Scratch& scratch);

}  // namespace graze::polyhedron
