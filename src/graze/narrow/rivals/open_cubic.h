#pragma once

#include <span>

#include "graze/impact.h"
#include "graze/method.h"
#include "graze/query.h"

namespace graze::narrow {

// Runs the elementary test of a vertex and a face in single precision with which [Huh 2014]
// compares in Figure 8 (Intersect_VF of openCCD).
//
// All coordinates are rounded to floats, and the coefficients of the cubic of coplanarity are
// computed in floats. Times are bisected, earliest first: a part is dropped when bounds of the
// cubic there have one sign, and shortened by Newton's interval step where the bounds of its
// derivative have one sign. When a part is shorter than 1e-7 the vertex is tested against the face,
// in floats, at its end. There is no tolerance: rounding decides whether a vertex on the border is
// inside.
//
// Heuristic; docs/methods/open_cubic.md counts the errors.
//   (1) A contact well inside the face, at a simple root of the cubic, of coordinates near 1, is
//       found, up to 2e-7 early or late.
//   (2) A contact is never reported for corners that are always coplanar, for queries so small that
//       all coefficients are below 1e-7 (coordinates below 0.005), and for coordinates beyond the
//       range of floats.
//   (3) The result depends on the arguments alone.
// `undecided` after options.max_checks parts of the time. Reads t_max and max_checks; a
// min_separation > 0 is `invalid`. Vertex-face only, as the comparison.
// Reference: [Huh 2014] Sec. 6.
void open_cubic(std::span<const VertexFace>, const MethodOptions&, std::span<Impact>);

}  // namespace graze::narrow
