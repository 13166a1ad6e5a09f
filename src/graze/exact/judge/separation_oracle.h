#pragma once

#include "graze/impact.h"
#include "graze/options.h"
#include "graze/query.h"

namespace graze::exact {

// Decides by exact integer arithmetic when two closed, possibly degenerate primitives first come
// within the distance d = options.min_separation of each other: in the Euclidean norm (l2) or the
// max norm (linf). At d = 0 both decide the same as oracle(), by another method.
//
// For all finite input:
//   (1) verdict is `contact` if and only if the distance is <= d at some t in [0, options.t_max];
//       never `undecided`.
//   (2) On contact toi is the largest double not after the exact earliest time and toi_hi the
//       smallest not before it; equal when that time is a double.
//   (3) The result depends on the arguments alone.
// u, v and normal are NaN. checks counts the times examined. NaN, infinity or an invalid option
// yields `invalid`. Cost: a few hundred microseconds if the primitives come near each other; it
// grows with the spread of the exponents. The proof is in docs/methods/separation.md.
Impact oracle_l2(const VertexFace& query, const Options& options = {});
Impact oracle_l2(const EdgeEdge& query, const Options& options = {});
Impact oracle_l2(const VertexEdge& query, const Options& options = {});
Impact oracle_l2(const VertexVertex& query, const Options& options = {});
Impact oracle_linf(const VertexFace& query, const Options& options = {});
Impact oracle_linf(const EdgeEdge& query, const Options& options = {});
Impact oracle_linf(const VertexEdge& query, const Options& options = {});
Impact oracle_linf(const VertexVertex& query, const Options& options = {});

}  // namespace graze::exact
