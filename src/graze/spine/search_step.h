#pragma once

#include "graze/step.h"

namespace graze::spine {

// The functions of graze/step.h for pairs that are already known. `candidates`: null, or pairs
// that contain every pair of the mesh that the filter admits and that comes within
// options.query.min_separation during the step, in the norm of the method; the strategy of the
// options is then not used.
// Precondition: candidates are null unless the method is exact, since only its answers do not
// depend on further pairs.
FirstImpact earliest_impact(const MovingMesh& moving, const StepOptions& options, const Run& run,
                            const Pairs* candidates);
AllImpacts all_impacts(const MovingMesh& moving, const StepOptions& options, const Run& run,
                       const Pairs* candidates);

// Returns the answer of collision_free_step() for the first impact with these options.
double free_step(const Impact& impact, const StepOptions& options);

}  // namespace graze::spine
