#pragma once

#include <span>

#include "graze/impact.h"
#include "graze/method.h"
#include "graze/query.h"

namespace graze::narrow {

// Advances in time by steps that the distance permits until the gap is a tenth of the first one.
//
// While the primitives are d apart at time t and no two of their points approach faster than l, the
// distance stays above s = options.min_separation until t + (d - s) / l. The method repeats steps
// of nine tenths of this time until the end of the step is reached (`separated`) or the gap d - s
// has shrunk to a tenth of the gap at the start (`contact` at the time before).
//
// For all finite input:
//   (1) The distance exceeds s in [0, impact.toi), whatever the verdict.
//   (2) toi is 0 only where the start is a contact up to rounding (d <= s + e), or where the gap is
//       so much smaller than the motion that a step would be lost in the rounding of time.
//   (3) At impact.toi > 0 the gap is still a tenth of that at the start, up to rounding e.
//   (4) The result depends on the arguments alone.
// e is a few units of the last place of the largest difference of coordinates on each axis; more
// where a face, or two edges together, are less than a millionth as wide as long.
//
// `checks` counts distances. Cost: some 40 ns each; about ten where the motion is as long as the
// distance, many where primitives slide closely past each other, cut at options.max_checks
// (`undecided`). Because of (3) a pass within a tenth of the gap at the start is a contact. Norm:
// L2. options.distance_tol is not read. Reference: [Li 2021] additive CCD;
// docs/methods/additive_advancement.md.
void additive_advancement(std::span<const VertexFace> queries, const MethodOptions& options,
                          std::span<Impact> impacts);
void additive_advancement(std::span<const EdgeEdge> queries, const MethodOptions& options,
                          std::span<Impact> impacts);

}  // namespace graze::narrow
