#pragma once

#include <optional>
#include <span>

#include "graze/impact.h"
#include "graze/method.h"
#include "graze/query.h"

namespace graze::narrow {

// Finds the first contact of two edges from the closed form of the times at which their four ends
// are coplanar.
//
// The cubic of coplanarity is solved by Cardano's formula, also where its cube roots are complex,
// and by the quadratic or linear one where the leading coefficients vanish. At each root, earliest
// first, the lines of the edges meet at parameters f1, f2: a contact if both are in [0, 1]. Edges
// that are always coplanar (for example edges that share an end) are treated in their plane.
//
// Heuristic: roots, parameters and the choice of the formula are computed in doubles without error
// bounds; docs/methods/cardano_edge.md counts the errors.
//   (1) A contact of edges that cross at an angle, well inside both and inside the step, is found,
//       unless the motion before it is nearly planar.
//   (2) The result depends on the arguments alone.
// Norm: none; a min_separation > 0 is `invalid`. Only options.t_max is read.
// Reference: [Jansen] Sections 3.1-3.4, 3.6.
Impact cardano_edge(const EdgeEdge& query, const Options& options = {});

// Two edges that share a moving particle, in the order: the particle, the other end of edge a, the
// other end of edge b.
struct JoinedEdges {
  std::array<Vec3, 3> start, end;
};

// Returns the joint of two edges that have a common end at the start and at the end of the step;
// empty if they have none.
std::optional<JoinedEdges> joined_edges(const EdgeEdge& query);

// Returns when two joined edges first fold onto each other [Jansen, Section 3.6]. They touch in
// their joint at all times, but overlap only where they are parallel and point the same way, or
// where one of them has no length. On contact u and v give the end of the shorter edge and the
// point of the other edge that it meets; `normal` is the direction across the edges in which that
// end passes (NaN if it does not pass). Heuristic, like cardano_edge.
Impact fold_of(const JoinedEdges& edges, const Options& options = {});

// Answers a batch with cardano_edge.
void cardano_edge(std::span<const EdgeEdge>, const MethodOptions&, std::span<Impact>);

}  // namespace graze::narrow
