#pragma once

#include "graze/polyhedron/move.h"

namespace graze::polyhedron {

struct ExpelOptions {
  // How far apart bodies that touch may be left. 0: expel_thickness, and never less than that. A
  // fixed one ([van Waveren 2005] 6 has 1/128 of a meter) forgives sloppy positions of other parts.
  double thickness = 0;
};

struct ExpelResult {
  Verdict verdict = Verdict::invalid;  // separated: it got to the end; contact: it was stopped
  double fraction = 0;
  std::uint32_t piece = 0;  // of a path of several: the one the fraction is of
  Pose end;                 // as stored: promises are about this pose
  Contact contact;          // of a stop: what it stopped at, with the normal there
  double thickness = 0;     // the one used
  bool expelled = false;    // the start touched, and was first pushed out by at most the thickness
};

// The least thickness for this query: a thousand times what rounding can do to it (expel_zone.cpp).
double expel_thickness(std::span<const Obstacle> world, const BrushModel& mover, const Path& path);

// Moves a body along the path, straight or turning, until it comes close to something that it is
// about to hit, and never so far that it touches: with a zone around everything, which what is in
// it may leave, but not go deeper into. So what rounding does to the stored pose can not put one
// body inside another, and touching bodies can slide and leave.
//   (1) If the mover and the world (BrushModel (1)) share no point at the start, they share none up
//       to `fraction` along the path, nor at the pose `end`, both exactly.
//   (2) From inside of the zone there is no motion towards what would be hit: a body that is within
//       a quarter of the thickness of something in its way stays where it is, to the last bit. (A
//       way that is along a plane but for rounding does not go towards it.)
//   (3) Where it stops, the world is within the thickness of the mover, but for rounding.
//   (4) A body that touches at the start is pushed out along the normals of its contacts first, and
//       then (1) holds from there; where it is wedged it stays and touches: contact at 0.
//   (5) The answer depends on the arguments alone; models are only read.
// invalid as move(). The path begins at its start.
// Reference: [van Waveren 2005] 3; docs/polyhedron.md.
ExpelResult expel_move(std::span<const Obstacle> world, const BrushModel& mover, const Path& path,
                       Scratch& scratch, const ExpelOptions& options = {});

// Along pieces such as turning() makes, each one begun at the pose stored at the end of the last.
ExpelResult expel_move(std::span<const Obstacle> world, const BrushModel& mover,
                       std::span<const Path> pieces, Scratch& scratch,
                       const ExpelOptions& options = {});

// The closed model with its facets moved inward, within rounding, so that bodies made to touch
// begin apart and those that the zone keeps apart are seen to touch: with half the thickness for
// each ([van Waveren 2005] 3.5). A corner of many facets goes to where it fits them best, and no
// further than four times `by`. Other models stay as they are.
BrushModel shrunk(const BrushModel& model, double by);

}  // namespace graze::polyhedron
