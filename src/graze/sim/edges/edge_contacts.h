#pragma once

#include <span>
#include <vector>

#include "graze/sim/edges.h"
#include "graze/step.h"

namespace graze::sim::edges {

// Returns all pairs of features that come within the sum of their radii and `margin` of each other
// (touch if that sum is 0), sorted by toi, kind and pair. The radius of a feature is the largest of
// its vertices. If two edges share a vertex, the other end of one and the other edge form a pair
// (Kind::vertex_edge) with radius 0: only `margin` counts. All positions are finite.
std::vector<Contact> reached_pairs(const MovingMesh& moving, std::span<const double> radii,
                                   double margin, const PairOptions& options, const Run& run,
                                   const MotionObserver& observer = {});

// Sorts contacts by toi, kind and pair.
void sort_by_time(std::vector<Contact>& contacts);

// Returns the result of reached_pairs() for `margin`, selected from `among`, the result for the
// same motion and a larger margin.
std::vector<Contact> still_reached(const MovingMesh& moving, std::span<const double> radii,
                                   double margin, std::span<const Contact> among);

}  // namespace graze::sim::edges
