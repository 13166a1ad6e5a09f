#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "graze/gpu/certified_roots.h"
#include "graze/gpu/contact_place.h"
#include "graze/gpu/engine.h"
#include "graze/gpu/moving_codes.h"
#include "graze/gpu/vertex_filter.h"

// The arrays of a search on the device, and the functions that all kernels share. The headers above
// contain the tests that decide; kernels distribute the work. Between two stages lies a list: a
// counter and an array. A counter also counts the elements that do not fit into the array; the host
// compares it with the capacity, enlarges the array and repeats the search.
namespace graze::gpu::device {

using std::uint32_t;
using std::uint64_t;
using Counter = unsigned long long;

constexpr unsigned full_warp = 0xffffffffu;
constexpr int leaf_size = 16, fan_out = 32, max_levels = 7;
// Nodes of the highest level of a tree. A further level takes one more kernel, which is worthwhile
// for large meshes.
constexpr uint32_t most_at_top = 512, most_at_top_of_large = 32;
constexpr uint64_t large_mesh = 500000;  // features of a tree
constexpr uint32_t bucket_count = 1u << 16;
constexpr uint32_t largest_bucket = 4096;  // above it the host sorts
constexpr uint32_t few_contacts = 512;     // up to this many one block sorts
constexpr int sample_size = 256;
constexpr uint32_t motion_sample = 4096;

enum List {
  packets_vf,
  packets_ee,
  met_vf,
  met_ee,
  left_vf,
  left_ee,
  deep_vf,
  deep_ee,
  found_vf,
  found_ee,
  open_list,
  record_list,
  crossing_packets,
  crossings,
  list_count
};

// The arguments that change from call to call, in memory of the host that the device reads.
struct Parameters {
  const double *start, *end;
  double begin, until;
  double separation;
  // Positions of earlier calls at which no edge pierces a face, by place, or null. If the start of
  // the step is one of the two, edges that pierce faces are not sought.
  const double* free_start[2];
  double *start_copy, *end_copy;  // where the positions are copied, by place, or null
  uint32_t call;                  // its number
  uint32_t host_answers;          // all: the host answers open queries during the search
  // With host_answers: if bracket_step leaves at most this many queries, they are open queries.
  uint32_t most_deep;
  // With host_answers and few contacts: the host returns all contacts, sorted, and the device keeps
  // them.
  uint32_t host_sorts;
};

// In memory of the host: the device leaves open queries during a search, and the host returns their
// contacts. The number of a call is written after the data of the call.
struct Exchange {
  uint32_t left, left_call;      // open queries before the last stage that leaves some
  uint32_t all_left, last_call;  // all open queries
  uint64_t extra;                // contacts in Arrays::extra, and the call in the lower half
  uint32_t stored_call;          // with host_sorts: Arrays::sorted has the contacts of this call
};

// The state of a search on the device; a copy goes to the host at the end.
struct Control {
  Parameters now;
  Counter count[list_count];
  Counter best;          // bits of a double
  Counter winner;        // kind, a, b in 1 + 31 + 31 bits
  Counter last_pierced;  // of the search before
  Counter pierced;       // the first edge that pierces a face, and the face, in 32 + 32 bits
  uint32_t not_finite, most_in_bucket;
  uint32_t start_differs[2];    // from free_start
  uint32_t static_moves;        // a static vertex does
  uint32_t finished_blocks[4];  // of the last kernel and of three that leave open queries
  uint32_t extra_taken;         // the contacts of the host are among the records
  uint32_t deep_is_open;        // the queries of deep_vf and deep_ee are open queries
  uint32_t few_sorted;          // the contacts are sorted: sort_contacts() is not needed
  uint32_t waits;               // after the report, for the contacts that the host returns
  double motion_sum;
  double first_toi;            // of the sorted contacts
  double corners[24];          // of the winner
  double pierced_corners[15];  // of the first edge that pierces a face, and of the face
  uint32_t done;               // number of the call
};

struct alignas(16) VertexRecord {
  double start[3], end[3];
  uint32_t id;
  uint32_t is_point;  // of Mesh::points
  uint32_t unused[2];
};
static_assert(sizeof(VertexRecord) == 64);

struct alignas(16) FoundContact {
  uint2 pair;
  Bracket root;
};

// A contact in the order of its bucket of time.
struct alignas(16) Slot {
  double toi;
  uint32_t record, bucket;
};

struct TreeLevels {
  int levels;  // level 0: leaves
  uint32_t count[max_levels];
  MovingBox* box[max_levels];
};

struct alignas(16) Feature {
  uint32_t corner[3];  // places, in the order of the mesh; for an edge the last is repeated
  uint32_t id;
};

// All arrays of the device, passed to every kernel.
struct Arrays {
  Control* control;
  const Parameters* parameters;  // on the host
  Control* report;               // on the host
  Exchange* exchange;            // on the host
  ImpactRecord* extra;           // on the host: contacts of the host, or few sorted ones
  uint32_t vertices, edges, faces;
  // Faces from this index on are rods and points as faces without area (Topology).
  uint32_t true_faces;
  const uint32_t *mesh_edges, *mesh_faces;
  const std::uint8_t* is_point;  // one per vertex, or null
  VertexFilter filter;
  uint32_t *order, *place;  // of vertices
  VertexRecord* record;
  FloatCorner* corner;
  MovingBox *vertex_box, *edge_box, *face_box;
  Feature *edge, *face;  // in spatial order
  TreeLevels vertex_tree, edge_tree, face_tree;
  Frame* frame;
  uint2* list[deep_ee + 1];  // packets_vf to deep_ee
  FoundContact* found[2];
  OpenQuery* open;
  uint2* crossing_packets;
  Crossing* crossings;  // in memory of the host
  ImpactRecord *records, *sorted;
  ImpactRecord* host_records;  // in memory of the host, as many as `sorted`, or null
  uint32_t *bucket, *bucket_begin, *block_sum, *bucket_of, *rank;
  Slot* slot;
  double* motions;
  uint32_t *keys[3], *keys_out[3], *ids[3], *ids_out[3];  // of vertices, edges, faces
  uint64_t capacity[list_count];
};

// ---- lists -------------------------------------------------------------------------------------

// Reserves a place in a list for each lane with `wanted`; a number beyond every capacity for the
// others. Called by whole warps.
__device__ inline uint64_t append(Counter* counter, bool wanted) {
  const unsigned mask = __ballot_sync(full_warp, wanted);
  if (mask == 0) return ~uint64_t{0};
  const int lane = threadIdx.x & 31, leader = __ffs(static_cast<int>(mask)) - 1;
  Counter base = 0;
  if (lane == leader) base = atomicAdd(counter, static_cast<Counter>(__popc(mask)));
  base = __shfl_sync(full_warp, base, leader);
  return wanted ? base + __popc(mask & ((1u << lane) - 1)) : ~uint64_t{0};
}

__device__ inline uint64_t length(const Arrays& a, List list) {
  const uint64_t count = a.control->count[list];
  return count < a.capacity[list] ? count : a.capacity[list];
}

__device__ inline uint64_t to_full_warps(uint64_t count) {
  return (count + 31) / 32 * 32;
}
__device__ inline uint64_t first_of_warp() {
  return (uint64_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32 * 32;
}
__device__ inline uint64_t warp_stride() {
  return uint64_t{gridDim.x} * blockDim.x;
}

// Returns whether no edge pierces a face at the start, by the answer of an earlier call.
__device__ inline bool starts_free(const Arrays& a) {
  return !a.control->start_differs[0] || !a.control->start_differs[1];
}

// ---- the end of a search -----------------------------------------------------------------------

// Returns whether this is the last block of the kernel to come here. All threads call it.
// `counter`: an index of finished_blocks that no other kernel of the search uses.
__device__ inline bool is_last_block(const Arrays& a, int counter = 0) {
  __shared__ bool last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(&a.control->finished_blocks[counter], 1u) == gridDim.x - 1;
  __syncthreads();
  return last;
}

// Writes the state to the host, then the number of the call, for which the host waits. Called by
// all threads of the last block.
__device__ inline void report(const Arrays& a) {
  constexpr uint32_t words = sizeof(Control) / sizeof(uint32_t);
  constexpr uint32_t done = offsetof(Control, done) / sizeof(uint32_t);
  uint32_t* const to = reinterpret_cast<uint32_t*>(a.report);
  const uint32_t* const from = reinterpret_cast<const uint32_t*>(a.control);
  for (uint32_t i = threadIdx.x; i < words; i += blockDim.x)
    if (i != done) to[i] = __ldcg(from + i);
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x == 0) *reinterpret_cast<volatile uint32_t*>(to + done) = a.control->now.call;
}

// ---- pairs -------------------------------------------------------------------------------------

// The corners of a pair, as places. Of two edges the one with the smaller index comes first.
template <QueryKind kind>
__device__ inline void corners_of(const Arrays& a, uint2 pair, uint32_t (&corner)[4],
                                  uint32_t& id_a, uint32_t& id_b) {
  if (kind == vertex_face_query) {
    const Feature f = a.face[pair.y];
    corner[0] = pair.x;
    corner[1] = f.corner[0];
    corner[2] = f.corner[1];
    corner[3] = f.corner[2];
    id_a = a.record[pair.x].id;
    id_b = f.id;
  } else {
    Feature f = a.edge[pair.x], g = a.edge[pair.y];
    if (g.id < f.id) {
      const Feature swap = f;
      f = g;
      g = swap;
    }
    corner[0] = f.corner[0];
    corner[1] = f.corner[1];
    corner[2] = g.corner[0];
    corner[3] = g.corner[1];
    id_a = f.id;
    id_b = g.id;
  }
}

// Returns whether the filter admits two features with corners at these places.
__device__ inline bool filter_admits(const Arrays& a, const uint32_t* places_a, int count_a,
                                     const uint32_t* places_b, int count_b) {
  if (!a.filter.active) return true;
  uint32_t p[3], q[3];
  for (int i = 0; i < count_a; ++i) p[i] = a.order[places_a[i]];
  for (int i = 0; i < count_b; ++i) q[i] = a.order[places_b[i]];
  return admits(a.filter, p, count_a, q, count_b);
}

// The kind of a query as a type.
template <QueryKind k>
struct KindTag {
  static constexpr QueryKind value = k;
};

// Calls body(kind, wanted, index) for each element of two lists, by whole warps of one kind.
template <class Body>
__device__ inline void for_each_pair(const Arrays& a, List vf, List ee, Body&& body) {
  const uint64_t n_vf = length(a, vf), n_ee = length(a, ee), v = to_full_warps(n_vf),
                 e = to_full_warps(n_ee);
  for (uint64_t base = first_of_warp(); base < v + e; base += warp_stride()) {
    const uint64_t i = base + (threadIdx.x & 31);
    if (base < v)
      body(KindTag<vertex_face_query>(), i < n_vf, i);
    else
      body(KindTag<edge_edge_query>(), i - v < n_ee, i - v);
  }
}

__device__ inline ImpactBody contact_body(double toi, double toi_hi, const ContactPlace& place) {
  return {1,
          1,
          0xffff,
          1,
          toi,
          toi_hi,
          place.first,
          place.second,
          {place.normal.x, place.normal.y, place.normal.z}};
}

}  // namespace graze::gpu::device
