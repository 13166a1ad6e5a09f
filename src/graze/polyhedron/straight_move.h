#pragma once

#include "graze/polyhedron/move.h"

namespace graze::polyhedron {

// What [van Waveren 2005] 4 and 5 and this library save by, each of which can be left out to see
// what it is worth. The time of the first contact is the same without any of them, with
// Sides::front for a mover that begins in front of all that it may meet.
struct Shortcuts {
  bool shared_features = true;  // vertices and edges with one of their facets only
  bool sign_bits = true;        // features by the bits of their vertices (RoughMover::Code)
  bool facet_culls = true;      // facets by their planes and shadows
  bool wide_times = true;       // the last bit by sums of two doubles
  // Of Sides::front.
  bool internal_edges = true, back_faces = true;
};

// move() along a translation, in a FloatEnvironment. The models are ok and the path is valid.
MoveResult straight_move(std::span<const Obstacle> world, const BrushModel& mover, const Path& path,
                         const MoveOptions& options, Scratch::Data& data,
                         const Shortcuts& shortcuts = {});

}  // namespace graze::polyhedron
