#pragma once

#include <span>

#include "graze/impact.h"
#include "graze/method.h"
#include "graze/query.h"

namespace graze::narrow {

// Returns how long two linearly moving primitives provably stay farther apart than
// s = options.min_separation in the max norm.
//
// They are that close where max|F(t,u,v)| <= s, with F = p - (1-u-v)f0 - u f1 - v f2 on u,v >= 0,
// u+v <= 1 for vertex-face and F = (1-u)a0 + u a1 - (1-v)b0 - v b1 on the unit square for
// edge-edge. Boxes in (t,u,v) are bisected level by level, earliest t first; a box is dropped when
// the bounding box of F at its eight corners misses the cube |x| <= s + e, e the rounding of F.
//
// For all finite input:
//   (1) No contact in [0, impact.toi), whatever the verdict.
//   (2) On contact, max|F(impact.toi, impact.u, impact.v)| <= s + 2e + options.distance_tol, with
//       u, v in the domain.
//   (3) The result depends on the query and the options alone.
//   (4) Memory stays below 1 MB, whatever options.max_checks is.
//   (5) With options.no_zero_toi, contact at toi 0 means max|F(0, u, v)| <= s + 2e.
//   (6) impact.reached_tol is the width of F over the box that gave the answer (the largest of the
//       three axes). On contact max|F(impact.toi, impact.u, impact.v)| <= s + 2e + reached_tol, and
//       reached_tol < (1 + 2^-5) options.distance_tol (Tolerance rounds up) unless the box lies
//       inside the cube. If undecided it is the width at which the search ended; infinite if
//       nothing could be refined. If separated it is 0.
// Where differences of coordinates exceed 2^1017 the answer may be `undecided` with toi 0.
//
// `checks` counts boxes. Cost: some 8 ns per box; few boxes when far, hundreds around a contact,
// many when grazing in a plane, cut at options.max_checks (`undecided`). Reference: [Wang 2021]
// Sec. 5 and 6; docs/methods/tight_inclusion.md.
void tight_inclusion(std::span<const VertexFace> queries, const MethodOptions& options,
                     std::span<Impact> impacts);
void tight_inclusion(std::span<const EdgeEdge> queries, const MethodOptions& options,
                     std::span<Impact> impacts);

// Returns the rounding bound e of a query on each axis.
Vec3 tight_inclusion_err(const VertexFace& query, double min_separation);
Vec3 tight_inclusion_err(const EdgeEdge& query, double min_separation);

}  // namespace graze::narrow
