#include "graze/gpu/kernels.cuh"

#include "graze/gpu/start_side.h"

namespace graze::gpu::device {
namespace {

constexpr int walk_warps = 4;

// Elements on their way to a list, so that a warp reserves 32 places at once.
struct Waiting {
  uint2 element[64];
};
// Adds the elements of the lanes that have one; `held` is the number of those that wait.
__device__ inline void add(Waiting& waiting, int& held, bool wanted, uint2 element,
                           Counter* counter, uint2* list, uint64_t capacity) {
  const int lane = threadIdx.x & 31;
  const unsigned mask = __ballot_sync(full_warp, wanted);
  if (mask == 0) return;
  if (wanted) waiting.element[held + __popc(mask & ((1u << lane) - 1))] = element;
  held += __popc(mask);
  __syncwarp();
  if (held < 32) return;
  const uint64_t at = append(counter, true);
  if (at < capacity) list[at] = waiting.element[lane];
  held -= 32;
  const uint2 rest = waiting.element[32 + lane];
  __syncwarp();
  if (lane < held) waiting.element[lane] = rest;
  __syncwarp();
}
__device__ inline void flush(Waiting& waiting, int& held, Counter* counter, uint2* list,
                             uint64_t capacity) {
  const bool wanted = (threadIdx.x & 31) < held;
  const uint64_t at = append(counter, wanted);
  if (wanted && at < capacity) list[at] = waiting.element[threadIdx.x & 31];
  held = 0;
  __syncwarp();
}

// A warp per leaf of vertices or edges finds the leaves of faces or edges that may meet it. Of two
// leaves of edges the first is not after the second. If `start`: a warp per leaf of edges finds the
// leaves of faces whose boxes overlap at the begin of the slab.
template <bool start>
__global__ void __launch_bounds__(32 * walk_warps) walk(Arrays a) {
  constexpr uint32_t guards = start ? begin_guard : guard_bits;
  constexpr List to = start ? crossing_packets : packets;
  uint2* const list = start ? a.crossing[0] : a.list[packets];
  __shared__ unsigned open[walk_warps][max_levels];
  __shared__ uint32_t node_of[walk_warps][max_levels];
  __shared__ Waiting waiting[walk_warps];
  const int lane = threadIdx.x & 31, w = threadIdx.x / 32;
  const uint32_t v = !start && a.faces > 0 ? a.vertex_tree.count[0] : 0;
  const uint32_t e = start && a.faces == 0 ? 0 : a.edge_tree.count[0];
  int held = 0;
  for (uint64_t leaf = first_of_warp() / 32; leaf < uint64_t{v} + e; leaf += warp_stride() / 32) {
    const bool edges = start || leaf >= v;
    const uint32_t self = static_cast<uint32_t>(edges ? leaf - v : leaf);
    const uint32_t first = self | (edges ? 0x80000000u : 0);
    const bool half = edges && !start;  // each pair of leaves once
    const TreeLevels& tree = half ? a.edge_tree : a.face_tree;
    const MovingBox box = edges ? a.edge_tree.box[0][self] : a.vertex_tree.box[0][self];
    const int top = tree.levels - 1;
    const uint32_t leaves = tree.count[0];
    const MovingBox* const leaf_box = tree.box[0];
    for (uint32_t group = 0; group < tree.count[top]; group += 32) {
      int level = top;
      uint32_t base = group;  // the first node of this level to test
      while (true) {
        const uint32_t node = base + lane;
        // Leaves below `node` end before (node + 1) << 5 * level.
        bool hit =
            node < tree.count[level] && (!half || (uint64_t{node} + 1) << (5 * level) > self);
        if (hit) hit = !stay_apart<guards>(box, tree.box[level][node]);
        unsigned hits = __ballot_sync(full_warp, hit);
        if (level == 1) {
          // The leaves below, of two nodes at a time.
          while (hits) {
            const uint32_t at_p = (base + __ffs(static_cast<int>(hits)) - 1) * fan_out + lane;
            hits &= hits - 1;
            const uint32_t at_q =
                hits ? (base + __ffs(static_cast<int>(hits)) - 1) * fan_out + lane : ~0u;
            hits &= hits - 1;
            bool p = at_p < leaves && (!half || at_p >= self);
            bool q = at_q < leaves && (!half || at_q >= self);
            MovingBox box_p, box_q;
            if (p) box_p = leaf_box[at_p];
            if (q) box_q = leaf_box[at_q];
            p = p && !stay_apart<guards>(box, box_p);
            q = q && !stay_apart<guards>(box, box_q);
            add(waiting[w], held, p, make_uint2(first, at_p), &a.control->count[to], list,
                a.capacity[to]);
            add(waiting[w], held, q, make_uint2(first, at_q), &a.control->count[to], list,
                a.capacity[to]);
          }
          ++level;
        } else {
          if (lane == 0) {
            open[w][level] = hits;
            node_of[w][level] = base;
          }
          __syncwarp();
        }
        // The next open node, deepest level first.
        while (level <= top && open[w][level] == 0) ++level;
        if (level > top) break;
        const unsigned bits = open[w][level];
        base = (node_of[w][level] + __ffs(static_cast<int>(bits)) - 1) * fan_out;
        __syncwarp();
        if (lane == 0) open[w][level] = bits & (bits - 1);
        __syncwarp();
        --level;
      }
      __syncwarp();
    }
  }
  flush(waiting[w], held, &a.control->count[to], list, a.capacity[to]);
}

constexpr int pair_warps = 4;

__device__ inline bool filter_admits(const Arrays& a, const uint32_t* places_a, int count_a,
                                     const uint32_t* places_b, int count_b) {
  uint32_t p[3], q[3];
  for (int i = 0; i < count_a; ++i) p[i] = a.order[places_a[i]];
  for (int i = 0; i < count_b; ++i) q[i] = a.order[places_b[i]];
  return admits(a.filter, p, count_a, q, count_b);
}

// Return whether two features form a pair: they share no vertex, and the filter admits them.
__device__ inline bool may_pierce(const Arrays& a, const Feature& edge, const Feature& face) {
  if (face.id >= a.true_faces) return false;
  for (int c = 0; c < 3; ++c)
    if (edge.corner[0] == face.corner[c] || edge.corner[1] == face.corner[c]) return false;
  return !a.filter.active || filter_admits(a, edge.corner, 2, face.corner, 3);
}
__device__ inline bool may_pair(const Arrays& a, const Feature& f, const Feature& g) {
  if (f.corner[0] == g.corner[0] || f.corner[0] == g.corner[1] || f.corner[1] == g.corner[0] ||
      f.corner[1] == g.corner[1])
    return false;
  return !a.filter.active || filter_admits(a, f.corner, 2, g.corner, 2);
}
__device__ inline bool may_pair(const Arrays& a, uint32_t vertex, const Feature& face) {
  if (face.corner[0] == vertex || face.corner[1] == vertex || face.corner[2] == vertex)
    return false;
  if (face.id >= a.true_faces) {
    const bool is_rod = face.corner[0] != face.corner[1];
    if (!a.record[vertex].is_point ||
        !(is_rod || a.record[vertex].id < a.record[face.corner[0]].id))
      return false;
  }
  return !a.filter.active || filter_admits(a, &vertex, 1, face.corner, 3);
}

// The features of a packet pair that may meet, with their boxes.
struct PacketRows {
  MovingBox box[2][leaf_size];
  uint32_t at[2][leaf_size];
};

// A half-warp per packet pair finds the features whose moving boxes meet and that share no vertex.
// If `start`: the edges and faces whose boxes overlap at the begin of the slab.
template <bool start>
__global__ void __launch_bounds__(32 * pair_warps) meet(Arrays a) {
  constexpr uint32_t guards = start ? begin_guard : guard_bits;
  constexpr List from = start ? crossing_packets : packets;
  const uint2* const list = start ? a.crossing[0] : a.list[packets];
  __shared__ PacketRows rows[pair_warps], columns[pair_warps];
  __shared__ Waiting waiting[2][pair_warps];
  int held_vf = 0, held_ee = 0;
  const int lane = threadIdx.x & 31, w = threadIdx.x / 32, half = lane / leaf_size,
            own = lane & (leaf_size - 1);
  const uint64_t count = length(a, from);
  for (uint64_t p = first_of_warp() / 16; p < count; p += warp_stride() / 16) {
    const bool exists = p + half < count;
    const uint2 packet = exists ? list[p + half] : make_uint2(0, 0);
    const bool edges = packet.x >> 31;
    const uint32_t leaf_a = packet.x & 0x7fffffffu, leaf_b = packet.y;
    const uint32_t at_a = leaf_a * leaf_size + own, at_b = leaf_b * leaf_size + own;
    bool row = exists && at_a < (edges ? a.edges : a.vertices);
    bool column = exists && at_b < (edges && !start ? a.edges : a.faces);
    MovingBox box_a, box_b;
    if (row) box_a = (edges ? a.edge_box : a.vertex_box)[at_a];
    if (column) box_b = (edges && !start ? a.edge_box : a.face_box)[at_b];
    if (exists) {
      const MovingBox all_a = (edges ? a.edge_tree : a.vertex_tree).box[0][leaf_a];
      const MovingBox all_b = (edges && !start ? a.edge_tree : a.face_tree).box[0][leaf_b];
      row = row && !stay_apart<guards>(box_a, all_b);
      column = column && !stay_apart<guards>(box_b, all_a);
    }
    const unsigned row_mask = __ballot_sync(full_warp, row);
    const unsigned column_mask = __ballot_sync(full_warp, column);
    const unsigned before = (1u << own) - 1;
    if (row) {
      const int to = __popc(row_mask >> (half * leaf_size) & before);
      rows[w].box[half][to] = box_a;
      rows[w].at[half][to] = at_a;
    }
    if (column) {
      const int to = __popc(column_mask >> (half * leaf_size) & before);
      columns[w].box[half][to] = box_b;
      columns[w].at[half][to] = at_b;
    }
    __syncwarp();
    const unsigned kinds = __ballot_sync(full_warp, edges);
    const unsigned same_leaf = __ballot_sync(full_warp, !start && edges && leaf_a == leaf_b);
    const int wide_0 = __popc(column_mask & 0xffffu), wide_1 = __popc(column_mask >> 16);
    const int all_0 = __popc(row_mask & 0xffffu) * wide_0;
    const int all = all_0 + __popc(row_mask >> 16) * wide_1;
    // k / wide = k * inverse >> 16 for k < 256 and wide <= 16.
    const int inverse_0 = wide_0 ? 65536 / wide_0 + 1 : 0,
              inverse_1 = wide_1 ? 65536 / wide_1 + 1 : 0;
    for (int base = 0; base < all; base += 32) {
      const int k = base + lane;
      const int h = k >= all_0;
      const int index = h ? k - all_0 : k;
      const bool of_edges = kinds >> (16 * h) & 1;
      bool hit = k < all;
      uint2 pair = make_uint2(0, 0);
      if (hit) {
        const int r = index * (h ? inverse_1 : inverse_0) >> 16;
        const int c = index - r * (h ? wide_1 : wide_0);
        pair = make_uint2(rows[w].at[h][r], columns[w].at[h][c]);
        hit = !stay_apart<guards>(rows[w].box[h][r], columns[w].box[h][c]) &&
              !((same_leaf >> (16 * h) & 1) && pair.x >= pair.y);
        if (hit) {
          if (start) {
            hit = may_pierce(a, a.edge[pair.x], a.face[pair.y]);
          } else if (of_edges) {
            hit = may_pair(a, a.edge[pair.x], a.edge[pair.y]);
          } else {
            hit = may_pair(a, pair.x, a.face[pair.y]);
          }
        }
      }
      if (!__any_sync(full_warp, hit)) continue;
      if (start) {
        add(waiting[1][w], held_ee, hit, pair, &a.control->count[crossing_pairs], a.crossing[1],
            a.capacity[crossing_pairs]);
      } else {
        add(waiting[0][w], held_vf, hit && !of_edges, pair, &a.control->count[met_vf],
            a.list[met_vf], a.capacity[met_vf]);
        add(waiting[1][w], held_ee, hit && of_edges, pair, &a.control->count[met_ee],
            a.list[met_ee], a.capacity[met_ee]);
      }
    }
    __syncwarp();
  }
  if (start) {
    flush(waiting[1][w], held_ee, &a.control->count[crossing_pairs], a.crossing[1],
          a.capacity[crossing_pairs]);
  } else {
    flush(waiting[0][w], held_vf, &a.control->count[met_vf], a.list[met_vf], a.capacity[met_vf]);
    flush(waiting[1][w], held_ee, &a.control->count[met_ee], a.list[met_ee], a.capacity[met_ee]);
  }
}

// Finds the edges that pierce faces at the start, and those for which rounding hides it. If
// `first`: of the former only the least pair of indices is kept.
template <bool first>
__global__ void test_crossings(Arrays a) {
  const uint64_t count = length(a, crossing_pairs);
  for (uint64_t base = first_of_warp(); base < count; base += warp_stride()) {
    const uint64_t i = base + (threadIdx.x & 31);
    Piercing piercing = Piercing::no;
    uint2 ids = make_uint2(0, 0);
    Vec at[5];
    if (i < count) {
      const uint2 pair = a.crossing[1][i];
      const Feature e = a.edge[pair.x], f = a.face[pair.y];
      const uint32_t places[5] = {e.corner[0], e.corner[1], f.corner[0], f.corner[1], f.corner[2]};
      for (int c = 0; c < 5; ++c) {
        const VertexRecord& r = a.record[places[c]];
        at[c] = {r.start[0], r.start[1], r.start[2]};
      }
      piercing = pierces(at[0], at[1], at[2], at[3], at[4]);
      ids = make_uint2(e.id, f.id);
    }
    if (first && piercing == Piercing::yes) {
      const Counter key = Counter{ids.x} << 32 | ids.y;
      if (key < *static_cast<volatile Counter*>(&a.control->pierced))
        atomicMin(&a.control->pierced, key);
      piercing = Piercing::no;
    }
    const bool wanted = piercing != Piercing::no;
    const uint64_t to = append(&a.control->count[crossings], wanted);
    if (wanted && to < a.capacity[crossings]) {
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
  }
}

}  // namespace

void find_pairs(const Launch& at) {
  const uint64_t leaves = uint64_t{at.a.vertex_tree.count[0]} + at.a.edge_tree.count[0];
  walk<false><<<at.blocks_for(32 * leaves, 32 * walk_warps), 32 * walk_warps, 0, at.stream>>>(at.a);
  meet<false><<<at.filled(16), 32 * pair_warps, 0, at.stream>>>(at.a);
}
void find_crossings(const Launch& at, bool first) {
  const uint64_t leaves = at.a.edge_tree.count[0];
  walk<true><<<at.blocks_for(32 * leaves, 32 * walk_warps), 32 * walk_warps, 0, at.stream>>>(at.a);
  meet<true><<<at.blocks_for(256 * leaves, 32 * pair_warps), 32 * pair_warps, 0, at.stream>>>(at.a);
  (first ? test_crossings<true>
         : test_crossings<false>)<<<at.blocks_for(32 * leaves, 128), 128, 0, at.stream>>>(at.a);
}

}  // namespace graze::gpu::device
