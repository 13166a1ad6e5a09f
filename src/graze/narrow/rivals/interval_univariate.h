#pragma once

#include <span>

#include "graze/impact.h"
#include "graze/method.h"
#include "graze/query.h"

namespace graze::narrow {

// Searches for the earliest time at which the four corners are coplanar and the primitives may
// touch, by interval arithmetic in t alone.
//
// Intervals of time are bisected, earliest first. An interval is dropped when the determinant of
// coplanarity has no zero on it, or when a geometric predicate excludes a contact, both evaluated
// in interval arithmetic. An interval in which no corner moves farther than options.distance_tol
// relative to another is a contact.
//
// For all finite input:
//   (1) No contact in [0, impact.toi), whatever the verdict.
//   (2) The result depends on the arguments alone.
//   (3) With options.no_zero_toi intervals that begin at t = 0 are not accepted before they are
//       2^-52 of the step.
// There is no promise how close the primitives are at a contact: the tolerance bounds the time, not
// the place in the plane. Norm: none.
//
// `checks` counts intervals of time. Cost: some 200 ns each; tens of them around a root, many where
// the corners stay nearly coplanar and the primitives close, cut at options.max_checks
// (`undecided`). Reference: [Wang 2021] 4.2; docs/methods/interval_univariate.md.
void interval_univariate(std::span<const VertexFace> queries, const MethodOptions& options,
                         std::span<Impact> impacts);
void interval_univariate(std::span<const EdgeEdge> queries, const MethodOptions& options,
                         std::span<Impact> impacts);

}  // namespace graze::narrow
