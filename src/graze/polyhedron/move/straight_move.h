#pragma once

#include "graze/polyhedron/move.h"

namespace graze::polyhedron {

// The optimizations of [van Waveren 2005] 4 and 5 and of this library. Each can be switched off to
// measure its effect. The time of the first contact is the same without any of them; with
// Sides::front this holds for a mover that starts in front of everything it may meet.
struct Shortcuts {
  bool shared_features = true;  // test vertices and edges with one of their facets only
  bool sign_bits = true;        // exclude features by the bits of their vertices (RoughMover::Code)
  bool facet_culls = true;      // exclude facets by their planes and shadows
  bool wide_times = true;       // round times by sums of two doubles
  // With Sides::front only.
  bool internal_edges = true, back_faces = true;
};

// Implements move() along a translation. The caller has set a FloatEnvironment, the models are ok
// and the path is valid.
MoveResult straight_move(std::span<const Obstacle> world, const Model& mover, const Path& path,
                         const MoveOptions& options, Scratch::Data& data,
                         const Shortcuts& shortcuts = {});

}  // namespace graze::polyhedron
