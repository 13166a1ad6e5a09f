#pragma once

#include "graze/polyhedron/move.h"

namespace graze::polyhedron {

// Implements move() along a rotation. The models are ok and the path is valid.
MoveResult turning_move(std::span<const Obstacle> world, const Model& mover, const Path& path,
                        const MoveOptions& options, Scratch::Data& data);

}  // namespace graze::polyhedron
