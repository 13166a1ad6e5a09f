#pragma once

#include <cstdint>
#include <optional>

#include "graze/impact.h"
#include "graze/options.h"
#include "graze/query.h"

namespace graze::narrow {

// The number of queries that each stage decided.
struct TurningTally {
  std::uint64_t pieces = 0;        // no contact, proven on pieces of the turn
  std::uint64_t contact = 0;       // a certified root, whose time was rounded in pairs of doubles
  std::uint64_t integer_time = 0;  // a certified root, whose time was rounded in integers
  std::uint64_t integer = 0;       // decided by the integer stage
};

// Returns the exact first contact of primitives that turn by one parameter; empty if there is no
// such parameter (exact::shared_turn).
//
// The stages of exact_curved decide in floating point: positions times a common weight are
// quadratic Bézier curves in a parameter of the turn. Pairs of doubles round the time of a contact
// (turning_time.h). Integer arithmetic decides what these leave open. The argument is in
// docs/methods/curved.md.
//
// For all finite input:
//   (1) verdict is `contact` if and only if the closed primitives touch at some t in
//       [0, options.t_max]. No tolerance, never `undecided`.
//   (2) On contact toi is the largest double not after the exact earliest time and toi_hi the
//       smallest not before it; equal only at 0.
//   (3) On contact u, v, normal and kind describe the first contact as contact_point.h defines
//       them, for corners and velocities at toi that are off by at most 2^-40 of the distances from
//       the axes and of the coordinates.
//   (4) The result depends on the arguments alone.
//   (5) `invalid`: an option outside its range or min_separation > 0.
// Reads options.t_max only. checks is 1 on contact and 0 otherwise.
std::optional<Impact> exact_turning(const Turning<VertexFace>& query, const Options& options,
                                    TurningTally* tally = nullptr);
std::optional<Impact> exact_turning(const Turning<EdgeEdge>& query, const Options& options,
                                    TurningTally* tally = nullptr);

}  // namespace graze::narrow
