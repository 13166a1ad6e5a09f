#pragma once

#include "graze/rigid/distance.h"
#include "graze/rigid/model/model.h"

namespace graze::rigid {

// signed_distance() of two models, each a convex shape or, one of them, a half space; without
// radii. `tol`: a length.
SignedDistance signed_core_distance(const Model& a, const Placement& at_a, const Model& b,
                                    const Placement& at_b, double tol, std::uint32_t max_checks);

}  // namespace graze::rigid
