#pragma once

#include <span>

#include "graze/impact.h"
#include "graze/method.h"
#include "graze/narrow/separation/separation_tally.h"
#include "graze/query.h"

namespace graze::narrow {

// Finds the first time at which linearly moving primitives come within d = options.min_separation
// of each other: separation_root in the Euclidean norm, separation_root_linf in the max norm of
// [Wang 2021] Section 6.
//
// Floating-point stages decide almost every query, each by a proof. Integer arithmetic decides the
// others, for the exact value of the double d. The argument is in docs/methods/separation.md.
//
// For all finite input:
//   (1) verdict is `contact` if and only if the distance is <= d at some t in [0, options.t_max].
//       No tolerance, never `undecided`. A start within d is a contact at 0.
//   (2) On contact toi is the largest double not after the exact earliest time and toi_hi the
//       smallest not before it; equal when the time is a double.
//   (3) At d = 0 verdict, toi, toi_hi, kind, u, v and normal are those of the exact method.
//   (4) Where d > 0, u, v and normal on contact are those of closest_points() at toi in the same
//       norm; kind is `unknown`.
//   (5) The result depends on the arguments alone.
//   (6) NaN or infinity in the query, an option outside its range, or another options.norm than
//       that of the function where d > 0: `invalid`.
// Reads t_max, min_separation and norm. checks: 0 where no time was examined, 1 where floating
// point decided, one more than the number of times examined in integers otherwise.
void separation_root(std::span<const VertexFace> queries, const MethodOptions& options,
                     std::span<Impact> impacts);
void separation_root(std::span<const EdgeEdge> queries, const MethodOptions& options,
                     std::span<Impact> impacts);
void separation_root(std::span<const VertexEdge> queries, const MethodOptions& options,
                     std::span<Impact> impacts);
void separation_root(std::span<const VertexVertex> queries, const MethodOptions& options,
                     std::span<Impact> impacts);
void separation_root_linf(std::span<const VertexFace> queries, const MethodOptions& options,
                          std::span<Impact> impacts);
void separation_root_linf(std::span<const EdgeEdge> queries, const MethodOptions& options,
                          std::span<Impact> impacts);
void separation_root_linf(std::span<const VertexEdge> queries, const MethodOptions& options,
                          std::span<Impact> impacts);
void separation_root_linf(std::span<const VertexVertex> queries, const MethodOptions& options,
                          std::span<Impact> impacts);

// Gives the same answers and adds to the tally which stage decided.
void separation_root(std::span<const VertexFace> queries, const MethodOptions& options,
                     std::span<Impact> impacts, SeparationTally& tally);
void separation_root(std::span<const EdgeEdge> queries, const MethodOptions& options,
                     std::span<Impact> impacts, SeparationTally& tally);
void separation_root_linf(std::span<const VertexFace> queries, const MethodOptions& options,
                          std::span<Impact> impacts, SeparationTally& tally);
void separation_root_linf(std::span<const EdgeEdge> queries, const MethodOptions& options,
                          std::span<Impact> impacts, SeparationTally& tally);

}  // namespace graze::narrow
