#pragma once

#include "graze/impact.h"
#include "graze/query.h"

namespace graze::narrow {

// Fills u, v and normal of a contact from the query, impact.toi and impact.kind, in plain double
// arithmetic: the same bits on every machine.
//
//   u, v    lie in the primitive; a contact known to lie on an edge or at a vertex gets an exact 0
//           or 1 there (also 1-u-v = 0). The two points they name are at toi no further apart than
//           they move until toi_hi, up to the rounding of the differences between corners (2^-50
//           of the largest during the step) and 1e-11 of the primitives' size at toi.
//   normal  is a unit vector, orthogonal to both primitives where they span a plane (N, the face's
//           normal or edge a x edge b, not negligible at toi), and points from the face (edge b)
//           to the vertex (edge a) as they approach: normal . (relative velocity) <= 0.
// Where N is negligible (a collapsed face, parallel edges) the contact is between an end or vertex
// and a segment: u, v are those of the closest such pair, and the normal is the direction opposite
// to the relative velocity, made orthogonal to the segment; any unit vector orthogonal to the
// segment if that vanishes, and (1, 0, 0) if the segment is a point and nothing moves.
void locate_contact(const VertexFace& query, Impact& impact);
void locate_contact(const EdgeEdge& query, Impact& impact);

// The same for corners that move on curves. Velocities are those at toi; the largest difference of
// the step is that of the control points.
void locate_contact(const Curved<VertexFace>& query, Impact& impact);
void locate_contact(const Curved<EdgeEdge>& query, Impact& impact);

}  // namespace graze::narrow
