#pragma once

#include <span>

#include "graze/impact.h"
#include "graze/method.h"
#include "graze/query.h"

namespace graze::narrow {

// Finds the first contact by a cubic solver with tolerances: roots of the cubic of coplanarity as
// intervals, an inside test at their beginning, and, wherever that test cannot decide, exhaustive
// tests of corners against edges.
//
// Every time at which the corners may be coplanar is in one of at most three intervals. While they
// are nearly coplanar, a contact begins inside the primitives at the beginning of the interval or
// by a corner that crosses an edge, or nearly so; how near follows from the length of the interval,
// the size of the cubic in it and the size of the normal (docs/methods/safe_cubic.md has the
// proof).
//
// For all finite input:
//   (1) No contact in [0, impact.toi), whatever the verdict.
//   (2) On contact the primitives are within (2^-8 + 128 options.time_tol) B of each other at some
//       time in [0, t_max], B being the largest component of any difference of corners at the start
//       or the end. The first term is for degenerate motion; elsewhere it is rounding.
//   (3) The result depends on the arguments alone.
// `undecided` after options.max_checks tests of corners against edges. Norm: none; a min_separation
// > 0 is `invalid`. Reads t_max, time_tol (to which roots are found), max_checks and no_zero_toi.
// Cost: one cubic, per root one inside test; near borders and in degenerate motion tests of three
// or four edges, bisecting the time. Reference: safeCCD as described in [Huh 2014] Sec. 2 and 6;
// the tolerances are our own.
void safe_cubic(std::span<const VertexFace>, const MethodOptions&, std::span<Impact>);
void safe_cubic(std::span<const EdgeEdge>, const MethodOptions&, std::span<Impact>);

}  // namespace graze::narrow
