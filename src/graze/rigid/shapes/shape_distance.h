#pragma once

#include <cstddef>
#include <vector>

#include "graze/rigid/distance.h"
#include "graze/rigid/model/model.h"

namespace graze::rigid {

// Bounds the errors of computed extreme points of a placed body, of their convex combinations and
// of their dot products with a vector of length 1; a length.
double placing_error(const Parts& parts, const Placement& at);

// Return distance() and contacts_within() for two models of which at least one has no mesh, and at
// most one is a half space. The caller handles radii and the inside of solid meshes. Closest
// features are not determined: their size is 0. A list of max_contacts entries may be incomplete.
BodyDistance distance_of_shapes(const Model& a, const Placement& at_a, const Model& b,
                                const Placement& at_b, const DistanceOptions& options,
                                const std::atomic<bool>* stop = nullptr);
std::vector<SurfaceContact> shape_contacts_within(const Model& a, const Placement& at_a,
                                                  const Model& b, const Placement& at_b,
                                                  double within, std::size_t max_contacts);

// Returns bounds on the gap between a body of one part and a half space, negative if they overlap,
// and the direction from b to a. Exactly one of the two is a half space.
BodyDistance gap_to_half_space(const Model& a, const Placement& at_a, const Model& b,
                               const Placement& at_b);

}  // namespace graze::rigid
