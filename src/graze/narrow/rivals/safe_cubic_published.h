#pragma once

#include <span>

#include "graze/impact.h"
#include "graze/method.h"
#include "graze/query.h"

namespace graze::narrow {

// Finds a contact like the public code of safeCCD ([Wang 2014], measured by [Huh 2014]), to
// reproduce the false positives of Tables 1 and 2 there. safe_cubic is the same method with bounds
// of its own.
//
// Roots of the cubic of coplanarity are found to |P| < 64 B^3 2^-39, B a bound on the differences
// of positions and of velocities of the query, in every component. At each root the contact must be
// inside the primitives. Where that test is uncertain, corners are tested against edges at up to 63
// critical times, and corners against corners; both accept distances of about 0.005 B.
//
// Heuristic here, since its proof assumes that the step starts without contact. For all finite
// input:
//   (1) No contact of queries in general position is missed.
//   (2) The time is an estimate, which may be late.
//   (3) The result depends on the arguments alone.
// Norm: none; a min_separation > 0 is `invalid`. Reads t_max, by cutting the motion there. checks
// counts the roots and the tests of corners. Cost: about a microsecond.
// Reference: [Huh 2014] Sec. 2, 6 (safeCCD); docs/methods/safe_cubic.md.
void safe_cubic_published(std::span<const VertexFace>, const MethodOptions&, std::span<Impact>);
void safe_cubic_published(std::span<const EdgeEdge>, const MethodOptions&, std::span<Impact>);

}  // namespace graze::narrow
