#pragma once

#include <ranges>
#include <span>

#include "graze/first_contact.h"
#include "graze/impact.h"
#include "graze/options.h"
#include "graze/query.h"

// Distances between primitives. The first time at which a distance d is reached is
//   first_contact(query, {.min_separation = d})
// in the Euclidean norm, and with .norm = Norm::linf in the max norm.
namespace graze {

// The closest points of two primitives at one time, with u and v as in Impact: parameters that the
// primitives do not have are NaN.
//
//   verdict    meaning
//   separated  distance > 0
//   contact    distance = 0
//   undecided  a batch was stopped before this query; all numbers are NaN
//   invalid    t or a coordinate is NaN or infinite, or t is outside [0, 1]; all numbers are NaN
//
// The verdict is that of the computed distance, which is rounded. first_contact() decides contact
// exactly.
struct ClosestPoints {
  Verdict verdict = Verdict::invalid;
  double u = Impact::nan, v = Impact::nan;
  // Unit vector from the point of the second primitive to that of the first.
  Vec3 normal = Vec3::Constant(Impact::nan);
  double distance = Impact::nan;  // between the two points, in the requested norm
};

// Returns the closest points at time t, in [0, 1], in plain double arithmetic: same bits on every
// machine.
//
// For all finite input:
//   (1) u and v lie in the primitives. Up to the rounding of the coordinates at t (2^-50 of the
//       largest) the distance is therefore never below the true one. How far above depends on the
//       shape: needles lose digits.
//   (2) Where several pairs of points are closest (parallel edges, and often in the max norm), one
//       of these pairs is returned.
//   (3) In the max norm, `normal` is a direction n that separates best: it maximizes the least
//       n.(a - b) / |n|_1 over the points a of the first primitive and b of the second.
//   (4) Where the primitives touch, `normal` is the normal of their common plane, and points
//       against the relative velocity as far as the plane allows.
// Norm::none means l2. Cost: tens of nanoseconds.
template <Query Q>
ClosestPoints closest_points(const Q& query, double t, Norm norm = Norm::l2);

// Answers queries[i] in points[i], all at the same time t, with the answers of the one-query form.
// The spans must have equal length. If run.stop ends the call, the queries that it has not reached
// are `undecided`.
template <Query Q>
void closest_points(std::span<const Q> queries, double t, std::span<ClosestPoints> points,
                    Norm norm = Norm::l2, const Run& run = {});

// The batch form for any range of queries.
template <Queries R>
void closest_points(const R& queries, double t, std::span<ClosestPoints> points,
                    Norm norm = Norm::l2, const Run& run = {}) {
  closest_points(std::span<const std::ranges::range_value_t<R>>(queries), t, points, norm, run);
}

// The answer of separation_step().
struct SeparationStep {
  Impact impact;    // as of first_contact() with min_separation = distance
  double distance;  // length: the distance that the step keeps; NaN if the query is invalid
};

// Returns the first time at which the distance of the primitives has decreased to the smaller of
// options.min_separation and `fraction` times their distance at the start.
//
// The function is for solvers that must not get stuck: a pair that starts closer than
// min_separation is not stopped at once, but where its distance has decreased to that fraction (the
// step rule d = p d_i of [Wang 2021] Section 7.2). The norm is options.norm; none means l2.
//
// For all finite input:
//   (1) toi > 0 for every query whose primitives do not touch at the start.
//   (2) The distance is at least SeparationStep::distance in [0, toi].
//   (3) SeparationStep::distance is within a relative 1e-9 of the distance above, unless the
//       primitives start closer than 1e-6 of their size. Then it may be smaller, but not 0 unless
//       all coordinates are near the smallest double.
//   (4) The impact has the promises of first_contact() for this distance.
// Invalid: NaN or infinity in the query, an option outside its range, `fraction` outside (0, 1).
// Reads t_max, min_separation and norm.
template <Query Q>
SeparationStep separation_step(const Q& query, double fraction, const Options& options);

// Answers queries[i] in steps[i]. The spans must have equal length. If run.stop ends the call, the
// queries that it has not reached are `undecided` with toi 0 and distance 0.
template <Query Q>
void separation_step(std::span<const Q> queries, double fraction, std::span<SeparationStep> steps,
                     const Options& options, const Run& run = {});

// The batch form for any range of queries.
template <Queries R>
void separation_step(const R& queries, double fraction, std::span<SeparationStep> steps,
                     const Options& options, const Run& run = {}) {
  separation_step(std::span<const std::ranges::range_value_t<R>>(queries), fraction, steps, options,
                  run);
}

}  // namespace graze
