#pragma once

#include <span>

#include "graze/impact.h"
#include "graze/method.h"
#include "graze/query.h"

namespace graze::narrow {

// Searches for the earliest root of F(t,u,v) by interval arithmetic.
//
// F = p - (1-u-v)f0 - u f1 - v f2 on u,v >= 0, u+v <= 1 for vertex-face and F = (1-u)a0 + u a1 -
// (1-v)b0 - v b1 on the unit square for edge-edge: the primitives touch at t where it is zero.
// Boxes in (t,u,v) are bisected; a box is dropped when the interval of F on it misses zero on some
// axis, and accepted as a root when the intervals are shorter than options.distance_tol.
//
// For all finite input:
//   (1) No contact in [0, impact.toi), whatever the verdict.
//   (2) On contact max|F(impact.toi, impact.u, impact.v)| <= options.distance_tol + e with u, v in
//       the domain, e being 2^-45 times the largest difference of coordinates.
//   (3) The result depends on the arguments alone.
//   (4) With options.no_zero_toi boxes that begin at t = 0 are bisected down to the smallest size
//       before they are accepted as a root.
// Where differences of coordinates overflow the answer is `undecided` with toi 0.
//
// `checks` counts boxes. Cost: some 30 ns per box; hundreds of boxes around a contact, many where
// the primitives slide or graze, cut at options.max_checks (`undecided`). Norm: none. Reference:
// [Wang 2021] 4.2 and Alg. 1; docs/methods/interval_multivariate.md.
void interval_multivariate(std::span<const VertexFace> queries, const MethodOptions& options,
                           std::span<Impact> impacts);
void interval_multivariate(std::span<const EdgeEdge> queries, const MethodOptions& options,
                           std::span<Impact> impacts);

}  // namespace graze::narrow
