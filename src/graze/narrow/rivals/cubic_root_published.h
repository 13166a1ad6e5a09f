#pragma once

#include <span>

#include "graze/impact.h"
#include "graze/method.h"
#include "graze/query.h"

namespace graze::narrow {

// Finds the first contact like the public code that [Wang 2021] measured (FPRF, after
// [Provot 1997]), with tolerance 0 as there, to reproduce the false negatives of Table 1.
// cubic_root is the same method repaired.
//
// The times of coplanarity are those at which P^2 <= 0, P the cubic of coplanarity: between real
// parts of the roots of the sextic P^2, found by a general solver, where the value in the middle is
// not positive. All roots are double, so rounding decides that. For a face, the normal is treated
// as linear in t, without the mixed terms of its two factors. Edges whose cross product is at most
// 1e-8 are skipped.
//
// Heuristic. For all finite input:
//   (1) About every second contact of random queries is missed.
//   (2) Contacts of parallel edges are not found.
//   (3) The result depends on the arguments alone.
// Norm: none; a min_separation > 0 is `invalid`. Reads t_max. Cost: several microseconds.
// Reference: [Wang 2021] Sec. 4.2 (FPRF) and Table 1; docs/methods/cubic_root.md.
void cubic_root_published(std::span<const VertexFace>, const MethodOptions&, std::span<Impact>);
void cubic_root_published(std::span<const EdgeEdge>, const MethodOptions&, std::span<Impact>);

}  // namespace graze::narrow
