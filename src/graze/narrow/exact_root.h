#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graze/core/impact.h"
#include "graze/core/mesh.h"
#include "graze/core/options.h"
#include "graze/core/query.h"

namespace graze {

// The exact first contact of linearly moving primitives, at the speed of an inexact test.
//
// Floating-point stages settle almost every query, each by a proof (a separating direction, a
// coplanarity cubic of one sign, a certified root with certified sides); what they cannot prove is
// decided in integer arithmetic. The argument is in docs/methods/exact.md.
//
// For all finite input:
//   (1) verdict is `contact` if and only if the closed primitives touch at some t in
//       [0, options.t_max]. No tolerance, never `undecided`.
//   (2) On contact toi is the largest double not after the exact earliest time and toi_hi the
//       smallest not before it; equal when the time is a double.
//   (3) On contact u, v, normal and kind describe the first contact as contact_point.h says.
//   (4) The result depends on the arguments alone: same bits for any batch size, order, thread
//       count, SIMD target, compiler and floating-point environment of the host.
//   (5) The work is bounded: the floating-point stages visit at most 4 pieces of time, the integer
//       stage is bounded as exact/first_contact.h says.
//   (6) NaN or infinity in the query, a nonsensical option or min_separation > 0: `invalid`.
// Reads options.t_max only. checks: 0 where no root was examined, 1 where certified roots settled
// it, and the number of times examined in integers.
void exact_root(std::span<const VertexFace> queries, const Options& options,
                std::span<Impact> impacts);
void exact_root(std::span<const EdgeEdge> queries, const Options& options,
                std::span<Impact> impacts);

// A point against a segment or another point, with the same promises: they are a vertex and a face
// without area. Contact lies at (1-u) a + u b of the segment; v, and u for two points, are NaN.
void exact_root(std::span<const PointEdge> queries, const Options& options,
                std::span<Impact> impacts);
void exact_root(std::span<const PointPoint> queries, const Options& options,
                std::span<Impact> impacts);

// How many queries each stage settled.
struct ExactTally {
  std::uint64_t axis = 0;         // one strict side along a coordinate axis
  std::uint64_t diagonal = 0;     // likewise along x+-y, y+-z, z+-x
  std::uint64_t coplanarity = 0;  // the cubic has no root
  std::uint64_t root_miss = 0;    // certified roots, certified apart at each
  std::uint64_t root_contact = 0;
  std::uint64_t integer = 0;  // decided by the integer stage
  std::uint64_t invalid = 0;
  std::uint64_t rounded_by_integers = 0;  // of root_contact: the last bit of toi needed integers

  std::uint64_t total() const {
    return axis + diagonal + coplanarity + root_miss + root_contact + integer + invalid;
  }
};

// The same answers, and adds to the tally.
void exact_root(std::span<const VertexFace> queries, const Options& options,
                std::span<Impact> impacts, ExactTally& tally);
void exact_root(std::span<const EdgeEdge> queries, const Options& options,
                std::span<Impact> impacts, ExactTally& tally);

// The answer to the pair at `index` of a span of pairs.
struct IndexedImpact {
  std::size_t index;
  Impact impact;
};

// The same answers to vertex_face or edge_edge pairs of a mesh, as a broad phase finds them,
// without a copy of their coordinates. Appends those that are not `separated`, in any order.
// `culled`: all positions are finite and hardly a pair would be settled by an axis or a
// diagonal, so these are not asked.
void exact_root(const MovingMesh& moving, PairKind kind, std::span<const Pair> pairs,
                const Options& options, std::vector<IndexedImpact>& answers, ExactTally& tally,
                bool culled = false);

}  // namespace graze
