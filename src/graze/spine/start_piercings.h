#pragma once

#include <optional>
#include <vector>

#include "graze/step.h"

namespace graze {

// Returns the pairs of an edge and a face that the edge pierces at the start of a step, as contacts
// at 0 of Kind::edge_face, sorted by pair.
//   (1) Exact: a pair is returned if and only if the two share no vertex, the ends of the edge lie
//       strictly on opposite sides of the face's plane, and the edge meets that plane strictly
//       inside the face, for the positions as stored. A face without area is not pierced. An edge
//       that touches a border, lies in the plane or ends in the face is a contact of other kinds.
//   (2) Pairs that the filter leaves out are not returned.
//   (3) u and v are the place on the face and `normal` is the normal of the face, counterclockwise
//       corners seen from its tip, up to rounding.
// If run.stop is set, pairs may be missing.
// Precondition: as many positions as vertices, all finite, and a filter that fits the mesh.
// Cost: near linear in faces, with the same kind of tree as moving_tree.
std::vector<StepImpact> start_piercings(const MovingMesh& moving, const PairFilter& filter,
                                        const Run& run);

// Returns one of the pairs of start_piercings(); empty if there are none.
//   (1) Exact: empty if and only if start_piercings() is empty.
//   (2) The pair depends on the mesh, the positions and the filter alone, not on the number of
//       threads. It is the least pair among those of 256 neighbouring faces and rods: the first
//       such group on a space-filling curve that has any. A mesh with no more faces and rods that
//       can move than one group has the first pair of start_piercings().
// Preconditions and run.stop as above.
// Cost: that of start_piercings() if there are none, otherwise the search ends with the group.
std::optional<StepImpact> first_start_piercing(const MovingMesh& moving, const PairFilter& filter,
                                               const Run& run);

}  // namespace graze
