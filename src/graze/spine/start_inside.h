#pragma once

#include <span>
#include <vector>

#include "graze/step.h"

namespace graze::spine {

// Returns whether StepOptions::solids fits a mesh: every edge of a solid is the side of an even
// number of its faces.
bool solids_fit(const StepOptions& options, const Mesh& mesh);

// Returns the contacts at 0 of promise (8) of earliest_impact(), sorted by pair: a vertex of each
// connected piece that is inside a solid at the start.
// Precondition: the positions are finite and the options fit the mesh.
// Cost: linear in vertices, edges and faces for each solid, and linear in the faces of the solid
// for each connected piece whose vertex lies in its box.
std::vector<StepImpact> start_inside(const MovingMesh& moving, const StepOptions& options);

}  // namespace graze::spine
