#pragma once

#include <vector>

#include "graze/mpi/communicator.h"
#include "graze/step.h"

namespace graze::mpi {

// Collective. Sorts the impacts of all ranks by toi, kind and pair: those of rank 0 come first. By
// sample sort: each rank gets about the same number of impacts.
void sort_impacts(Communicator& communicator, std::vector<StepImpact>& impacts);

}  // namespace graze::mpi
