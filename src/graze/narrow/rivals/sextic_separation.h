#pragma once

#include <span>

#include "graze/impact.h"
#include "graze/method.h"
#include "graze/query.h"

namespace graze::narrow {

// Finds the first time at which the distance is options.min_separation, d, from the roots of
// polynomials in t.
//
// Where plane and vertex, or the lines of two edges, are at the distance d,
// P^2 - d^2 |n|^2 = 0 for the cubic P of coplanarity and the normal n: a sextic. Its companions are
// quartics, for a corner at the distance d from the line of an edge, and quadratics, for two
// corners. All real roots are computed in doubles; the first at which the primitives themselves are
// no farther apart than d, up to a small part of it, is the contact.
//
// Heuristic. The smaller d is compared with the motion, the more errors occur: the terms with d^2
// are lost in the rounding of P^2 when d is 1e-8 of it, and at d = 0 every root is double, so that
// rounding decides whether it is found. Primitives that keep the distance d for a while make a
// polynomial vanish, which then has no isolated roots. docs/methods/sextic_separation.md counts the
// errors.
//   (1) For d of the order of the primitives, a simple root is found.
//   (2) Primitives that are no farther apart than d at the start have a contact at 0.
//   (3) The result depends on the arguments alone.
// Norm: L2. Reads t_max and min_separation.
// Reference: [Wang 2021] Sec. 6 (MSRF), after [Harmon 2011].
void sextic_separation(std::span<const VertexFace>, const MethodOptions&, std::span<Impact>);
void sextic_separation(std::span<const EdgeEdge>, const MethodOptions&, std::span<Impact>);

}  // namespace graze::narrow
