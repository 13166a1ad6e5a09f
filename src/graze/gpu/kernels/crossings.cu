#include "graze/gpu/kernels/rows.h"
#include "graze/gpu/kernels/stages.h"
#include "graze/gpu/start_side.h"

namespace graze::gpu::device {
namespace {

// Tests one pair of places per lane that has one. Whole warps call it. If `first`: of the edges
// that certainly pierce a face only the least pair of indices is kept.
template <bool first>
__device__ inline void test_piercing(const Arrays& a, bool wanted, uint2 pair) {
  Piercing piercing = Piercing::no;
  uint2 ids = make_uint2(0, 0);
  Vec at[5];
  if (wanted) {
    const Feature e = a.edge[pair.x], f = a.face[pair.y];
    const uint32_t places[5] = {e.corner[0], e.corner[1], f.corner[0], f.corner[1], f.corner[2]};
    for (int c = 0; c < 5; ++c) {
      const VertexRecord& r = a.record[places[c]];
      at[c] = {r.start[0], r.start[1], r.start[2]};
    }
    if (filter_admits(a, places, 2, places + 2, 3))
      piercing = pierces(at[0], at[1], at[2], at[3], at[4]);
    ids = make_uint2(e.id, f.id);
  }
  if (first && piercing != Piercing::no) {
    const Counter key = Counter{ids.x} << 32 | ids.y;
    const bool before = key < *static_cast<volatile Counter*>(&a.control->pierced);
    if (before && piercing == Piercing::yes) atomicMin(&a.control->pierced, key);
    if (!before || piercing == Piercing::yes) piercing = Piercing::no;
  }
  wanted = piercing != Piercing::no;
  const uint64_t to = append(&a.control->count[crossings], wanted);
  if (!wanted || to >= a.capacity[crossings]) return;
  Crossing& crossing = a.crossings[to];
  crossing.edge = ids.x;
  crossing.face = ids.y;
  crossing.certain = piercing == Piercing::yes;
  for (int c = 0; c < 5; ++c) {
    crossing.corners[3 * c] = at[c].x;
    crossing.corners[3 * c + 1] = at[c].y;
    crossing.corners[3 * c + 2] = at[c].z;
  }
}

constexpr int pierce_warps = 4, pierce_blocks = 6;  // of a block, of a processor

// A half-warp per packet pair finds the edges and faces whose boxes overlap at the start of the
// slab, and tests which edges pierce faces. If `first`: edges with an index after that of the first
// edge found so far are left out, so a mesh with many such edges costs little.
template <bool first>
__global__ void __launch_bounds__(32 * pierce_warps, pierce_blocks) pierce(Arrays a) {
  __shared__ PacketRows shared_rows[pierce_warps];
  __shared__ uint2 shared_waiting[pierce_warps][64];
  if (starts_free(a)) return;
  const int lane = threadIdx.x & 31, half = lane / leaf_size, own = lane & (leaf_size - 1);
  PacketRows& rows = shared_rows[threadIdx.x / 32];
  uint2* const waiting = shared_waiting[threadIdx.x / 32];
  int held = 0;
  const uint64_t count = length(a, crossing_packets);
  for (uint64_t base = first_of_warp() / 16; base < count; base += warp_stride() / 16) {
    const bool exists = base + half < count;
    const uint2 packet = exists ? a.crossing_packets[base + half] : make_uint2(0, 0);
    const uint32_t at_a = packet.x * leaf_size + own, at_b = packet.y * leaf_size + own;
    bool row = exists && at_a < a.edges, column = exists && at_b < a.faces;
    Feature edge, face;
    if (row) edge = a.edge[at_a];
    if (first && row) row = edge.id <= *static_cast<volatile Counter*>(&a.control->pierced) >> 32;
    if (!__any_sync(full_warp, row)) continue;
    MovingBox box_a, box_b;
    if (row) box_a = a.edge_box[at_a];
    row = row && !stay_apart<begin_guard>(box_a, a.face_tree.box[0][packet.y]);
    if (column) box_b = a.face_box[at_b];
    column = column && !stay_apart<begin_guard>(box_b, a.edge_tree.box[0][packet.x]);
    if (column) face = a.face[at_b];
    column = column && face.id < a.true_faces;
    const unsigned row_mask = __ballot_sync(full_warp, row);
    const unsigned column_mask = __ballot_sync(full_warp, column);
    if (row) store(rows.row[half][place_in_half(row_mask)], box_a, at_a, edge);
    if (column) store(rows.column[half][place_in_half(column_mask)], box_b, at_b, face);
    __syncwarp();
    for_all_rows(rows, row_mask, column_mask, [&](bool hit, int, const Row& r, const Row& c) {
      uint2 pair = make_uint2(0, 0);
      if (hit) {
        pair = make_uint2(r.word[1].z, c.word[1].z);
        hit = !stay_apart<begin_guard>(box_of(r), box_of(c)) && !share_vertex<2, 3>(r, c);
      }
      const unsigned hits = __ballot_sync(full_warp, hit);
      if (hits == 0) return;
      if (hit) waiting[held + __popc(hits & ((1u << lane) - 1))] = pair;
      held += __popc(hits);
      __syncwarp();
      if (held < 32) return;
      const uint2 full = waiting[lane], rest = waiting[32 + lane];
      __syncwarp();
      held -= 32;
      if (lane < held) waiting[lane] = rest;
      __syncwarp();
      test_piercing<first>(a, true, full);
    });
    __syncwarp();
  }
  test_piercing<first>(a, lane < held, lane < held ? waiting[lane] : make_uint2(0, 0));
}

}  // namespace

void find_crossings(const Launch& at, bool first) {
  if (at.a.faces == 0 || at.a.edges == 0) return;
  find_crossing_packets(at, first);
  (first ? pierce<true>
         : pierce<false>)<<<at.filled(pierce_blocks), 32 * pierce_warps, 0, at.stream>>>(at.a);
}

}  // namespace graze::gpu::device
