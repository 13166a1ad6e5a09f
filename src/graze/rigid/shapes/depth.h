#pragma once

#include "graze/rigid/distance.h"
#include "graze/rigid/model/model.h"

namespace graze::rigid {

// Returns signed_distance() of two models without their radii. Each is a convex shape, or one is a
// half space. `tol`: a length.
SignedDistance signed_core_distance(const Model& a, const Placement& at_a, const Model& b,
                                    const Placement& at_b, double tol, std::uint32_t max_checks);

}  // namespace graze::rigid
