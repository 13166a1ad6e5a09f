#pragma once

#include <span>

#include "graze/core/impact.h"
#include "graze/core/options.h"
#include "graze/core/query.h"

namespace graze {

// Searches the earliest time at which the four corners are coplanar and the primitives may touch,
// by interval arithmetic in t alone.
//
// Intervals of time are bisected, earliest first; one is dropped when the determinant that tells
// coplanarity evaluates to an interval without zero on it, or when a geometric predicate, evaluated
// likewise, excludes a contact. What is left when no corner moves farther than options.distance_tol
// relative to another is called a contact.
//
// For all finite input:
//   (1) No contact in [0, impact.toi), whatever the verdict.
//   (2) The result depends on the arguments alone.
//   (3) With options.no_zero_toi intervals that begin at t = 0 are not accepted before they are
//       2^-52 of the step.
// There is no promise how close the primitives are at a contact: the tolerance rules the time, not
// where in the plane the corners are. Norm: none.
//
// `checks` counts intervals of time. Cost: some 200 ns each; tens of them around a root, many where
// the corners stay nearly coplanar and the primitives close, cut at options.max_checks
// (`undecided`). Reference: [Wang 2021] 4.2; docs/methods/interval_univariate.md.
void interval_univariate(std::span<const VertexFace> queries, const Options& options,
                         std::span<Impact> impacts);
void interval_univariate(std::span<const EdgeEdge> queries, const Options& options,
                         std::span<Impact> impacts);

}  // namespace graze
