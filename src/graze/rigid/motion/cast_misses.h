#pragma once

#include <cstdint>
#include <optional>

#include "graze/rigid/model/model.h"
#include "graze/rigid/motion.h"

namespace graze::rigid {

// Proves that a mesh of at most two different vertices (a sphere or a capsule without its radius)
// misses another mesh. Returns the number of nodes examined; nothing if that is not proven.
// Neither motion rotates. `slack`: the distance that the meshes must keep, the error of computed
// gaps included. `error`: that error, e of advance().
//
// In the coordinates of b, a moves on a straight line. A node of b is left out if the box around
// a's vertices, enlarged by slack and error, misses the node's box at all times: along each axis
// the two overlap during an interval of time, and these intervals have no common time. A triangle
// that is left is proven apart along the direction between its closest points to what a sweeps: the
// gap along a direction is linear in time, so that a gap at both ends of the time is one between
// them. The times have a relative error of 4u, u = 2^-53, and the coordinates one of 64u of their
// size; both shift a by less than `error`, which is at least 160u of the coordinates and of the
// way.
std::optional<std::uint32_t> cast_misses(const Model& a, const Motion& motion_a, const Model& b,
                                         const Motion& motion_b, double t_max, double slack,
                                         double error);

}  // namespace graze::rigid
