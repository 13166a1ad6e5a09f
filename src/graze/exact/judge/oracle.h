#pragma once

#include "graze/impact.h"
#include "graze/options.h"
#include "graze/query.h"

namespace graze::exact {

// Decides by exact integer arithmetic whether two closed, possibly degenerate primitives touch.
//
// For all finite input:
//   (1) verdict is `contact` if and only if they touch at some t in [0, options.t_max]; never
//       `undecided`.
//   (2) On contact toi is the largest double not after the exact earliest time and toi_hi the
//       smallest not before it; equal when that time is a double.
//   (3) The result depends on the arguments alone.
// u, v and normal are rounded; NaN where the face or the pair of edges spans no plane at the
// contact (and normal: where all motion is in one plane). The normal points to the side the first
// primitive comes from. checks counts the times examined. NaN, infinity or a nonsensical option:
// `invalid`. Only options.t_max is read. Cost: tens of microseconds on simulation data; it grows
// with the spread of the exponents. The completeness argument is in docs/methods/oracle.md.
Impact oracle(const VertexFace& query, const Options& options = {});
Impact oracle(const EdgeEdge& query, const Options& options = {});

}  // namespace graze::exact
