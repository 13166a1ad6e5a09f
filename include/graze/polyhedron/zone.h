#pragma once

#include <cstdint>
#include <span>

#include "graze/polyhedron/move.h"

namespace graze::polyhedron {

// Options of moves that end outside the expel zone.
struct ExpelOptions {
  // Length: the largest distance at which a stopped body may be left. A smaller value than
  // expel_thickness(), such as 0, is replaced by it. [van Waveren 2005] 6 uses 1/128 m, which
  // tolerates inaccurate poses from other parts of a program.
  double thickness = 0;
};

// The end of a move that stays outside the expel zone, and the contact that stopped it.
struct ExpelResult {
  // separated: reached the end; contact: stopped by the world; invalid; or undecided
  // (Scratch::stop_on): the body stays at the start of the piece
  Verdict verdict = Verdict::invalid;
  double fraction = 0;      // f of Path where the body stops; 1 if separated
  std::uint32_t piece = 0;  // the piece of the path that `fraction` belongs to
  Pose end;                 // as stored; the promises are about this pose
  Contact contact;          // if stopped: the feature ahead and its normal
  double thickness = 0;     // the thickness used
  bool expelled = false;    // the body touched at the start and was pushed out by at most thickness
};

// Returns the least thickness for this query: 2^11 times a bound of the rounding of its poses and
// heights, which is 2^18 u S, u = 2^-53 and S the size of the coordinates (docs/polyhedron.md).
double expel_thickness(std::span<const Obstacle> world, const Model& mover, const Path& path);

// Moves a body along the path and stops it before it touches the world. The expel zone is a thin
// layer around the world. A body inside the zone may leave it but may not move deeper into it.
// Therefore rounding of the stored pose cannot put one body inside another, and bodies that nearly
// touch can slide and part.
//   (1) If mover and world (Model (1)) share no point at the start, they share none along the path
//       up to `fraction`, nor at the pose `end`; both exactly.
//   (2) A body within a quarter of the thickness of something in its way does not move at all, to
//       the last bit. A way parallel to a plane up to rounding is not towards that plane.
//   (3) Where the body stops, the world is within the thickness of it, up to rounding.
//   (4) A body that touches at the start is first pushed off, by at most the thickness; then (1)
//       holds from there. Between closed models every side of the touching features is tried, and
//       the one from which the path leads furthest is taken. Of other models only the side to which
//       all normals of the contacts point is tried. If the body is wedged, it stays and touches:
//       contact at 0.
//   (5) The answer depends on the arguments alone. Models are only read.
// invalid as for move(), and for a path that does not begin at its start or a thickness < 0.
// Reference: [van Waveren 2005] 3; docs/polyhedron.md.
ExpelResult expel_move(std::span<const Obstacle> world, const Model& mover, const Path& path,
                       Scratch& scratch, const ExpelOptions& options = {});

// Moves along consecutive pieces, such as those of turning(). Each piece starts at the stored end
// pose of the previous piece.
ExpelResult expel_move(std::span<const Obstacle> world, const Model& mover,
                       std::span<const Path> pieces, Scratch& scratch,
                       const ExpelOptions& options = {});

// Returns the closed model with its facets moved inward by `by` (length, within rounding). Two
// bodies modelled to touch, each shrunk by half the thickness, start apart, and where the zone
// keeps them apart they appear to touch ([van Waveren 2005] 3.5). A vertex of many facets moves to
// the least-squares position, by at most four times `by`. A model that is not closed is returned
// unchanged.
Model shrunk(const Model& model, double by);

}  // namespace graze::polyhedron
