#pragma once

#include "graze/impact.h"
#include "graze/options.h"
#include "graze/query.h"

namespace graze::exact {

// Decides by exact integer arithmetic when two closed, possibly degenerate primitives first touch.
//
// For all finite input:
//   (1) verdict is `contact` if and only if they touch at some t in [0, options.t_max]; never
//       `undecided`.
//   (2) On contact toi is the largest double not after the exact earliest time and toi_hi the
//       smallest not before it; equal when that time is a double.
//   (3) The result depends on the arguments alone.
// u, v and normal are rounded. They are NaN if the face or the pair of edges spans no plane at the
// contact; normal is also NaN if all motion is in one plane. The normal points to the side from
// which the first primitive comes. checks counts the times examined. NaN, infinity or an invalid
// option yields `invalid`. Only options.t_max is used. Cost: tens of microseconds on simulation
// data; it grows with the spread of the exponents. Proof of completeness: docs/methods/oracle.md.
Impact oracle(const VertexFace& query, const Options& options = {});
Impact oracle(const EdgeEdge& query, const Options& options = {});

}  // namespace graze::exact
