#pragma once

#include "graze/rigid/model_advance.h"

namespace graze::rigid {

// Returns advance() for two models of which at least one has no mesh, and at most one is a half
// space. `round` as for the advance() of meshes. Ignores the inside of solid meshes.
BodyImpact advance_shapes(const Model& a, const Motion& motion_a, const Model& b,
                          const Motion& motion_b, const StoppableOptions& options,
                          const Roundness& round);

}  // namespace graze::rigid
