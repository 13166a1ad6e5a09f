#pragma once

#include <span>

#include "graze/core/impact.h"
#include "graze/core/options.h"
#include "graze/core/query.h"
#include "graze/narrow/separation_tally.h"

namespace graze {

// The first time at which linearly moving primitives come within d = options.min_separation of each
// other: in the Euclidean norm, or (linf) in the max norm of [Wang 2021] Section 6.
//
// Floating-point stages settle almost every query, each by a proof; what they cannot prove is
// decided in integer arithmetic, d being the given double. The argument is in
// docs/methods/separation.md.
//
// For all finite input:
//   (1) verdict is `contact` if and only if the distance is <= d at some t in [0, options.t_max].
//       No tolerance, never `undecided`. A start within d is a contact at 0.
//   (2) On contact toi is the largest double not after the exact earliest time and toi_hi the
//       smallest not before it; equal when the time is a double.
//   (3) At d = 0 verdict, toi, toi_hi, kind, u, v and normal are those of the exact method.
//   (4) Where d > 0, u, v and normal on contact are those of closest_points() or
//       closest_points_linf() at toi (narrow/closest_points.h), which also tell the distance there;
//       kind is `unknown`.
//   (5) The result depends on the arguments alone.
//   (6) NaN or infinity in the query, or a nonsensical option: `invalid`.
// Reads t_max and min_separation. checks: 0 where no time was examined, 1 where floating point
// settled it, and one more than the number of times examined in integers.
void separation_root(std::span<const VertexFace> queries, const Options& options,
                     std::span<Impact> impacts);
void separation_root(std::span<const EdgeEdge> queries, const Options& options,
                     std::span<Impact> impacts);
void separation_root(std::span<const PointEdge> queries, const Options& options,
                     std::span<Impact> impacts);
void separation_root(std::span<const PointPoint> queries, const Options& options,
                     std::span<Impact> impacts);
void separation_root_linf(std::span<const VertexFace> queries, const Options& options,
                          std::span<Impact> impacts);
void separation_root_linf(std::span<const EdgeEdge> queries, const Options& options,
                          std::span<Impact> impacts);
void separation_root_linf(std::span<const PointEdge> queries, const Options& options,
                          std::span<Impact> impacts);
void separation_root_linf(std::span<const PointPoint> queries, const Options& options,
                          std::span<Impact> impacts);

// For solvers that must not get stuck: the same question, in the Euclidean norm, with a distance of
// its own for each query, the smaller of options.min_separation and `fraction` times its distance
// at the start. So a pair that starts closer than min_separation is not stopped at once, but where
// its distance has decreased to that fraction (the step rule d = p d_i of [Wang 2021] Section 7.2).
// `fraction` in (0, 1); others are `invalid`.
//   (7) toi > 0 for every query whose primitives do not touch at the start.
//   (8) The distance in [0, toi] is at least the distance it was asked for, which lies within 1e-9
//       of that product, relatively, unless the start is closer than 1e-6 of the size of the
//       primitives; then it may be smaller (but not 0, unless all is near the smallest double).
// distances[i], where the span is not empty, is set to the distance query i was asked for.
void separation_step(std::span<const VertexFace> queries, double fraction, const Options& options,
                     std::span<Impact> impacts, std::span<double> distances = {});
void separation_step(std::span<const EdgeEdge> queries, double fraction, const Options& options,
                     std::span<Impact> impacts, std::span<double> distances = {});
void separation_step(std::span<const PointEdge> queries, double fraction, const Options& options,
                     std::span<Impact> impacts, std::span<double> distances = {});
void separation_step(std::span<const PointPoint> queries, double fraction, const Options& options,
                     std::span<Impact> impacts, std::span<double> distances = {});

// The same answers, and adds to the tally.
void separation_root(std::span<const VertexFace> queries, const Options& options,
                     std::span<Impact> impacts, SeparationTally& tally);
void separation_root(std::span<const EdgeEdge> queries, const Options& options,
                     std::span<Impact> impacts, SeparationTally& tally);
void separation_root_linf(std::span<const VertexFace> queries, const Options& options,
                          std::span<Impact> impacts, SeparationTally& tally);
void separation_root_linf(std::span<const EdgeEdge> queries, const Options& options,
                          std::span<Impact> impacts, SeparationTally& tally);

}  // namespace graze
