#pragma once

#include <span>

#include "graze/impact.h"
#include "graze/method.h"
#include "graze/query.h"

namespace graze::narrow {

// Finds the first time at which the four corners are coplanar and the primitives touch, in plain
// floating point: the classical cubic solver.
//
// The roots of the cubic of coplanarity are computed in doubles and widened by options.time_tol on
// both sides. A contact is a time in such an interval at which the polynomials of the inside test
// (three for a vertex and a face, four for two edges) are not negative; toi is the first one.
//
// Heuristic: nothing bounds the rounding of the roots or of the polynomials, so contacts at a
// border, at multiple roots and of corners that are always coplanar may be lost, and times may be
// late; docs/methods/cubic_root.md counts the errors. As published, edges that are parallel at the
// contact are not handled at all.
//   (1) A contact well inside the primitives and inside the step, at a simple root of the cubic, is
//       found, and its time is not late.
//   (2) Contacts of parallel edges are not found.
//   (3) The result depends on the arguments alone.
// Norm: none; a min_separation > 0 is `invalid`. Reads t_max and time_tol.
// Reference: [Wang 2021] Sec. 4.2 (FPRF), after [Provot 1997].
void cubic_root(std::span<const VertexFace>, const MethodOptions&, std::span<Impact>);
void cubic_root(std::span<const EdgeEdge>, const MethodOptions&, std::span<Impact>);

}  // namespace graze::narrow
