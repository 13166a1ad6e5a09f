#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graze/impact.h"
#include "graze/mesh.h"
#include "graze/method.h"
#include "graze/options.h"
#include "graze/query.h"

namespace graze::narrow {

// Finds the exact first contact of linearly moving primitives, at the speed of an inexact test.
//
// Floating-point stages decide almost every query, each by a proof (a separating direction, a
// coplanarity cubic of one sign, a certified root with certified sides). Integer arithmetic decides
// the others. The argument is in docs/methods/exact.md.
//
// For all finite input:
//   (1) verdict is `contact` if and only if the closed primitives touch at some t in
//       [0, options.t_max]. No tolerance, never `undecided`.
//   (2) On contact toi is the largest double not after the exact earliest time and toi_hi the
//       smallest not before it; equal when the time is a double.
//   (3) On contact u, v, normal and kind describe the first contact as defined in contact_point.h.
//   (4) The result depends on the arguments alone: same bits for any batch size, order, thread
//       count, SIMD target, compiler and floating-point environment of the host.
//   (5) The work is bounded: the floating-point stages visit at most 4 pieces of time, the integer
//       stage as stated in exact/arena/first_contact.h.
//   (6) NaN or infinity in the query, an option outside its range or min_separation > 0: `invalid`.
// Reads options.t_max only. checks: 0 where no root was examined, 1 where certified roots decided,
// the number of times examined in integers otherwise.
void exact_root(std::span<const VertexFace> queries, const MethodOptions& options,
                std::span<Impact> impacts);
void exact_root(std::span<const EdgeEdge> queries, const MethodOptions& options,
                std::span<Impact> impacts);

// The number of queries that each stage decided.
struct ExactTally {
  std::uint64_t axis = 0;         // one strict side along a coordinate axis
  std::uint64_t diagonal = 0;     // one strict side along x+-y, y+-z or z+-x
  std::uint64_t coplanarity = 0;  // the cubic has no root
  std::uint64_t root_miss = 0;    // certified roots, proven apart at each of them
  std::uint64_t root_contact = 0;
  std::uint64_t integer = 0;  // decided by the integer stage
  std::uint64_t invalid = 0;
  std::uint64_t rounded_by_integers = 0;  // part of root_contact: integers decided the last bit

  std::uint64_t total() const {
    return axis + diagonal + coplanarity + root_miss + root_contact + integer + invalid;
  }
};

// Gives the same answers and adds to the tally which stage decided.
void exact_root(std::span<const VertexFace> queries, const Options& options,
                std::span<Impact> impacts, ExactTally& tally);
void exact_root(std::span<const EdgeEdge> queries, const Options& options,
                std::span<Impact> impacts, ExactTally& tally);

// Gives the same answers for vertex-face or edge-edge pairs of a mesh, without copying their
// coordinates. Appends the answers that are not `separated`, in any order. If `culled`, the axis
// and diagonal stages are skipped; all positions must then be finite. The answers do not change.
void exact_root(const MovingMesh& moving, Kind kind, std::span<const Pair> pairs,
                const Options& options, std::vector<IndexedImpact>& answers, ExactTally& tally,
                bool culled = false);

}  // namespace graze::narrow
