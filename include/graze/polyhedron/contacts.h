#pragma once

#include <span>
#include <vector>

#include "graze/polyhedron/move.h"

namespace graze::polyhedron {

// Two close features. `point` is on the world's surface, and the mover's point is `gap` away.
struct ContactPoint : Contact {
  double gap = 0;  // length
};

// Returns the places where the mover at the pose and the world are within `distance` (length) of
// each other, in double arithmetic:
//   vertex_facet  a vertex of the mover and the nearest point of a facet, inside or on its border
//   facet_vertex  a facet of the mover and a vertex of the world
//   edge_edge     two edges that are not parallel, and the closest points of their lines
// For poses at which the bodies do not intersect, up to rounding:
//   (1) `point` is on the world's surface, and point + gap normal is within distance/5 of the
//       mover's (a vertex less than distance/8 beside a facet gets the facet's normal).
//       0 <= gap <= distance.
//   (2) The list is sorted by gap. If the bodies are within `distance`, the first gap is their
//       distance.
//   (3) No two contacts of one obstacle have nearly the same normal and points within `distance` of
//       each other: the one with the smaller gap is kept. So a box on a floor has four contacts,
//       and two boxes have the corners of the polygon that they share.
//   (4) The answer depends on the arguments alone.
// Closed models are tested on their front only, other models on both sides. Empty if a model, the
// pose or the distance is invalid, or the call is stopped (Scratch::stop_on).
// Cost: the world's facets near the mover times the mover's facets near each.
// Reference: [van Waveren 2005] 2.6.
std::vector<ContactPoint> contacts(std::span<const Obstacle> world, const Model& mover,
                                   const Pose& pose, double distance, Scratch& scratch);

}  // namespace graze::polyhedron
