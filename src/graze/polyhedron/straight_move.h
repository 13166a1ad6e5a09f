#pragma once

#include "graze/polyhedron/move.h"

namespace graze::polyhedron {

// move() along a translation. The models are ok and the path is valid.
MoveResult straight_move(std::span<const Obstacle> world, const BrushModel& mover, const Path& path,
                         const MoveOptions& options, Scratch::Data& data);

}  // namespace graze::polyhedron
