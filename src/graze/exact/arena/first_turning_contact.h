#pragma once

#include <optional>

#include "graze/exact/arena/first_contact.h"
#include "graze/exact/arena/turning_paths.h"

namespace graze::exact {

// Returns the first contact in [0, t_max] of finite primitives that turn by one parameter, decided
// in integer arithmetic without rounding. Contacts repeat after a full turn, so at most one full
// turn is examined. docs/methods/curved.md has the proof. The arena is scratch memory.
FirstContact first_contact(const Turning<VertexFace>& query, const SharedTurn& turn, double t_max,
                           Arena& arena);
FirstContact first_contact(const Turning<EdgeEdge>& query, const SharedTurn& turn, double t_max,
                           Arena& arena);

// A root of the coplanarity D that floating point has found to be the only one between two values
// of the parameter y of a half-turn.
struct TurningRoot {
  HalfTurn part;
  double lo, hi;
};

// Returns the tightest doubles around the time of that root; found = false if it is after t_max.
// Empty if D does not have opposite signs at lo and hi.
std::optional<FirstContact> time_of_root(const Turning<VertexFace>& query, const SharedTurn& turn,
                                         const TurningRoot& root, double t_max, Arena& arena);
std::optional<FirstContact> time_of_root(const Turning<EdgeEdge>& query, const SharedTurn& turn,
                                         const TurningRoot& root, double t_max, Arena& arena);

}  // namespace graze::exact
