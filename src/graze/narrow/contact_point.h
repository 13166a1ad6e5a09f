#pragma once

#include "graze/core/impact.h"
#include "graze/core/query.h"

namespace graze {

// Fills u, v and normal of a contact from the query and impact.toi, in plain double arithmetic: the
// same bits on every machine for the same query and toi.
//
//   normal  is a unit vector, orthogonal to both primitives where they span a plane (N, the face's
//           normal or edge a x edge b, not negligible at toi), and points from the face (edge b)
//           to the vertex (edge a) as they approach: normal . (relative velocity) <= 0.
//   u, v    are clamped into the primitive; a contact known to lie on an edge or at a vertex gets
//           exact 0 or 1 there.
// Where N is negligible (a collapsed face, parallel edges) the contact is between an end or vertex
// and a segment: u, v are those of the closest such pair, and the normal is the direction opposite
// to the relative velocity, made orthogonal to the segment; any unit vector orthogonal to the
// segment if that vanishes, and (1, 0, 0) if the segment is a point and nothing moves.
void locate_contact(const VertexFace& query, Impact& impact);
void locate_contact(const EdgeEdge& query, Impact& impact);

}  // namespace graze
