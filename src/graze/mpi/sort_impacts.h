#pragma once

#include <vector>

#include "graze/mpi/communicator.h"
#include "graze/step.h"

namespace graze::mpi {

// Collective. Sorts the impacts of all ranks by toi, kind and pair: those of rank 0 come first. A
// sample sort; the ranks get about as many each.
void sort_impacts(Communicator& communicator, std::vector<StepImpact>& impacts);

}  // namespace graze::mpi
