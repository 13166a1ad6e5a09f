#pragma once

#include <span>

#include "graze/mesh.h"
#include "graze/sim/impulse.h"

namespace graze::sim {

// Returns the stencil of the contact points with coordinates u and v (see StepImpact). A
// vertex-edge pair has no v, a vertex-vertex pair has neither.
ContactStencil contact_stencil(const Mesh& mesh, Kind kind, const Pair& pair, double u, double v);

// Returns `normal` or its negative, whichever points to the side of the first primitive at the
// start of the motion. If the primitives touch there, the result points against the motion.
Vec3 facing_normal(const ContactStencil& stencil, const Vec3& normal, std::span<const Vec3> start,
                   std::span<const Vec3> end);

}  // namespace graze::sim
