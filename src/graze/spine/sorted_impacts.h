#pragma once

#include <vector>

#include "graze/step.h"

namespace graze::spine {

// Returns the impacts sorted by `before` (search_step.h).
// Precondition: edges that pierce faces come last and are sorted.
std::vector<StepImpact> sorted(const std::vector<const StepImpact*>& impacts);

}  // namespace graze::spine
