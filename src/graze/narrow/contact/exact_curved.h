#pragma once

#include <cstdint>
#include <span>

#include "graze/impact.h"
#include "graze/method.h"
#include "graze/query.h"

namespace graze::narrow {

// Finds the exact first contact of primitives whose corners move on polynomial curves of degree 1
// to 3, at a small multiple of the cost of exact_root().
//
// Floating-point stages decide almost every query, each by a proof: a separating direction in
// Bernstein form, a coplanarity polynomial of one sign, a certified root with certified sides, on
// the step or on pieces of it. Integer arithmetic decides the others. The argument is in
// docs/methods/curved.md.
//
// For all finite input:
//   (1) verdict is `contact` if and only if the closed primitives touch at some t in
//       [0, options.t_max]. No tolerance, never `undecided`.
//   (2) On contact toi is the largest double not after the exact earliest time and toi_hi the
//       smallest not before it; equal when the time is a double.
//   (3) On contact u, v, normal and kind describe the first contact as defined in contact_point.h.
//   (4) The result depends on the arguments alone: same bits for any batch size, order, thread
//       count, SIMD target, compiler and floating-point environment of the host.
//   (5) On lines the verdict, the times, u, v, the normal and the kind have the bits of
//       exact_root().
//   (6) NaN or infinity in the query, an option outside its range or min_separation > 0: `invalid`.
// Reads options.t_max only. checks: 0 where no root was examined, 1 where certified roots decided,
// the number of times examined in integers otherwise.
void exact_curved(std::span<const Curved<VertexFace>> queries, const MethodOptions& options,
                  std::span<Impact> impacts);
void exact_curved(std::span<const Curved<EdgeEdge>> queries, const MethodOptions& options,
                  std::span<Impact> impacts);
void exact_curved(std::span<const VertexFace> queries, const MethodOptions& options,
                  std::span<Impact> impacts);
void exact_curved(std::span<const EdgeEdge> queries, const MethodOptions& options,
                  std::span<Impact> impacts);

// The number of queries that each stage decided.
struct CurvedTally {
  std::uint64_t direction = 0;     // one strict side along a direction at all control points
  std::uint64_t coplanarity = 0;   // the coplanarity polynomial has no root
  std::uint64_t root_miss = 0;     // pieces of time, each without a contact
  std::uint64_t root_contact = 0;  // a certified root
  std::uint64_t integer = 0;       // decided by the integer stage
  std::uint64_t invalid = 0;
  std::uint64_t rounded_by_integers = 0;  // part of root_contact: integers decided the last bit

  std::uint64_t total() const {
    return direction + coplanarity + root_miss + root_contact + integer + invalid;
  }
};

// Gives the same answers and adds to the tally which stage decided.
void exact_curved(std::span<const Curved<VertexFace>> queries, const Options& options,
                  std::span<Impact> impacts, CurvedTally& tally);
void exact_curved(std::span<const Curved<EdgeEdge>> queries, const Options& options,
                  std::span<Impact> impacts, CurvedTally& tally);

}  // namespace graze::narrow
