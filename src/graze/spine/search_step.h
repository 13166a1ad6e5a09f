#pragma once

#include <vector>

#include "graze/step.h"

namespace graze::spine {

// What is known about a step before its search. Views; null: unknown.
struct Known {
  // Contains every pair of the mesh that the filter admits and that comes within
  // largest_separation(options) during the step, in the norm of the method; the strategy of the
  // options is then not used.
  // Precondition: null unless the method is exact, since only its answers do not depend on further
  // pairs.
  const Pairs* pairs = nullptr;
  // All edges that pierce faces at the start and that the filter admits, sorted by pair.
  const std::vector<StepImpact>* piercings = nullptr;
};

// The functions of graze/step.h.
FirstImpact earliest_impact(const MovingMesh& moving, const StepOptions& options, const Run& run,
                            const Known& known);
AllImpacts all_impacts(const MovingMesh& moving, const StepOptions& options, const Run& run,
                       const Known& known);

// Returns the answer of collision_free_step() for the first impact with these options.
double free_step(const Impact& impact, const StepOptions& options);

}  // namespace graze::spine
