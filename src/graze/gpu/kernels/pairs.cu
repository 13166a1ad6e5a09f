#include "graze/gpu/kernels/rows.h"
#include "graze/gpu/kernels/stages.h"

namespace graze::gpu::device {
namespace {

// Elements that wait for a list, so that a warp reserves 32 places at once.
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

constexpr int walk_warps = 4;

// The state of a walk of one warp. open[level]: the nodes of a level whose children are still to be
// visited.
struct WalkMemory {
  Waiting waiting;
  unsigned open[max_levels];
  uint32_t node_of[max_levels];
};

// A list of packets and how many wait for it.
struct PacketList {
  Counter* counter;
  uint2* list;
  uint64_t capacity;
  int held;
};
__device__ inline PacketList packet_list(const Arrays& a, List of, uint2* list) {
  return {&a.control->count[of], list, a.capacity[of], 0};
}

// Finds the leaves of a tree that may meet a leaf with this box. If `half`: only those from `self`
// on. `half` is no parameter of the template, because a kernel that runs for a short time has to be
// short.
template <uint32_t guards>
__device__ inline void walk_tree(const TreeLevels& tree, const MovingBox& box, uint32_t self,
                                 bool half, WalkMemory& memory, PacketList& to) {
  const int lane = threadIdx.x & 31, top = tree.levels - 1;
  const uint32_t leaves = tree.count[0];
  const MovingBox* const leaf_box = tree.box[0];
  for (uint32_t group = 0; group < tree.count[top]; group += 32) {
    int level = top;
    uint32_t base = group;  // the first node of this level to test
    while (true) {
      const uint32_t node = base + lane;
      // Leaves below `node` end before (node + 1) << 5 * level.
      bool hit = node < tree.count[level] && (!half || (uint64_t{node} + 1) << (5 * level) > self);
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
          add(memory.waiting, to.held, p, make_uint2(self, at_p), to.counter, to.list, to.capacity);
          add(memory.waiting, to.held, q, make_uint2(self, at_q), to.counter, to.list, to.capacity);
        }
        ++level;
      } else {
        if (lane == 0) {
          memory.open[level] = hits;
          memory.node_of[level] = base;
        }
        __syncwarp();
      }
      // The next open node, deepest level first.
      while (level <= top && memory.open[level] == 0) ++level;
      if (level > top) break;
      const unsigned bits = memory.open[level];
      base = (memory.node_of[level] + __ffs(static_cast<int>(bits)) - 1) * fan_out;
      __syncwarp();
      if (lane == 0) memory.open[level] = bits & (bits - 1);
      __syncwarp();
      --level;
    }
    __syncwarp();
  }
}

// A warp per leaf of vertices or edges finds the leaves of faces or edges that may meet it. Of two
// leaves of edges the first is not after the second.
__global__ void __launch_bounds__(32 * walk_warps) walk(Arrays a) {
  __shared__ WalkMemory memory[walk_warps];
  WalkMemory& own = memory[threadIdx.x / 32];
  const uint64_t v = a.faces > 0 ? a.vertex_tree.count[0] : 0;
  const uint64_t e = a.edge_tree.count[0];
  PacketList to = packet_list(a, packets_vf, a.list[packets_vf]);
  bool edges = false;
  for (uint64_t leaf = first_of_warp() / 32; leaf < v + e; leaf += warp_stride() / 32) {
    if (!edges && leaf >= v) {
      flush(own.waiting, to.held, to.counter, to.list, to.capacity);
      to = packet_list(a, packets_ee, a.list[packets_ee]);
      edges = true;
    }
    const uint32_t self = static_cast<uint32_t>(edges ? leaf - v : leaf);
    walk_tree<guard_bits>(edges ? a.edge_tree : a.face_tree,
                          (edges ? a.edge_tree : a.vertex_tree).box[0][self], self, edges, own, to);
  }
  flush(own.waiting, to.held, to.counter, to.list, to.capacity);
}

// A warp per leaf of edges finds the leaves of faces that overlap it at the start of the slab. If
// `first`: leaves without an edge that may come before the first one that is known to pierce a face
// are left out.
template <bool first>
__global__ void __launch_bounds__(32 * walk_warps) walk_at_start(Arrays a) {
  __shared__ WalkMemory memory[walk_warps];
  WalkMemory& own = memory[threadIdx.x / 32];
  const int lane = threadIdx.x & 31;
  if (starts_free(a)) return;
  const Counter last = a.control->pierced >> 32;
  PacketList to = packet_list(a, crossing_packets, a.crossing_packets);
  for (uint64_t leaf = first_of_warp() / 32; leaf < a.edge_tree.count[0];
       leaf += warp_stride() / 32) {
    const uint64_t at = leaf * leaf_size + lane;
    const bool wanted = !first || (lane < leaf_size && at < a.edges && a.edge[at].id <= last);
    if (__any_sync(full_warp, wanted))
      walk_tree<begin_guard>(a.face_tree, a.edge_tree.box[0][leaf], static_cast<uint32_t>(leaf),
                             false, own, to);
  }
  flush(own.waiting, to.held, to.counter, to.list, to.capacity);
}

// Returns whether a vertex may pair with a face without area, a rod or a point.
__device__ inline bool meets_collapsed(const Arrays& a, const Row& vertex, const Row& face) {
  const bool is_rod = face.word[1].w != face.word[2].x;
  const VertexRecord& record = a.record[vertex.word[1].z];
  return record.is_point && (is_rod || record.id < a.record[face.word[1].w].id);
}

constexpr int meet_warps = 4;

// Finds the pairs of the packets of one kind, from packet pair `at` on. Returns the packet pair
// after the last one.
template <QueryKind kind>
__device__ inline uint64_t meet_packets(const Arrays& a, PacketRows& rows, Waiting& waiting,
                                        uint64_t at) {
  constexpr bool edges = kind == edge_edge_query;
  constexpr List from = edges ? packets_ee : packets_vf, to = edges ? met_ee : met_vf;
  const uint2* const list = a.list[from];
  const TreeLevels &tree_a = edges ? a.edge_tree : a.vertex_tree,
                   &tree_b = edges ? a.edge_tree : a.face_tree;
  const MovingBox *const boxes_a = edges ? a.edge_box : a.vertex_box, *const boxes_b =
                                                                          edges ? a.edge_box
                                                                                : a.face_box;
  const Feature* const features_b = edges ? a.edge : a.face;
  const uint32_t count_a = edges ? a.edges : a.vertices, count_b = edges ? a.edges : a.faces;
  const int lane = threadIdx.x & 31, half = lane / leaf_size, own = lane & (leaf_size - 1);
  const uint64_t count = length(a, from), stride = warp_stride() / 32;
  const auto packet_at = [&](uint64_t i) { return i < count ? list[i] : make_uint2(0, 0); };
  uint2 next = packet_at(2 * at + half);
  int held = 0;
  for (; 2 * at < count; at += stride) {
    const bool exists = 2 * at + half < count;
    const uint2 packet = next;
    next = packet_at(2 * (at + stride) + half);  // loaded during the tests
    const uint32_t at_a = packet.x * leaf_size + own, at_b = packet.y * leaf_size + own;
    bool row = exists && at_a < count_a, column = exists && at_b < count_b;
    MovingBox box_a, box_b;
    Feature feature_a{{at_a, 0, 0}, 0}, feature_b;
    if (row) box_a = boxes_a[at_a];
    if (row && edges) feature_a = a.edge[at_a];
    if (column) box_b = boxes_b[at_b];
    if (column) feature_b = features_b[at_b];
    if (exists) {
      row = row && !stay_apart(box_a, tree_b.box[0][packet.y]);
      column = column && !stay_apart(box_b, tree_a.box[0][packet.x]);
    }
    const unsigned row_mask = __ballot_sync(full_warp, row);
    const unsigned column_mask = __ballot_sync(full_warp, column);
    if (row) store(rows.row[half][place_in_half(row_mask)], box_a, at_a, feature_a);
    if (column) store(rows.column[half][place_in_half(column_mask)], box_b, at_b, feature_b);
    const unsigned same_leaf = edges ? __ballot_sync(full_warp, packet.x == packet.y) : 0;
    __syncwarp();
    for_all_rows(rows, row_mask, column_mask, [&](bool hit, int h, const Row& r, const Row& c) {
      uint2 pair = make_uint2(0, 0);
      if (hit) {
        pair = make_uint2(r.word[1].z, c.word[1].z);
        hit = !stay_apart(box_of(r), box_of(c)) && !share_vertex < edges ? 2 : 1,
        edges ? 2 : 3 > (r, c);
        if (edges && (same_leaf >> (16 * h) & 1)) hit = hit && pair.x < pair.y;
        if (!edges && hit && c.word[2].z >= a.true_faces) hit = meets_collapsed(a, r, c);
      }
      add(waiting, held, hit, pair, &a.control->count[to], a.list[to], a.capacity[to]);
    });
    __syncwarp();
  }
  flush(waiting, held, &a.control->count[to], a.list[to], a.capacity[to]);
  return at;
}

// A half-warp per packet pair finds the features whose moving boxes meet and that share no vertex.
__global__ void __launch_bounds__(32 * meet_warps) meet(Arrays a) {
  __shared__ PacketRows rows[meet_warps];
  __shared__ Waiting waiting[meet_warps];
  const int w = threadIdx.x / 32;
  const uint64_t vertex_face = (length(a, packets_vf) + 1) / 2;
  const uint64_t next =
      meet_packets<vertex_face_query>(a, rows[w], waiting[w], first_of_warp() / 32);
  meet_packets<edge_edge_query>(a, rows[w], waiting[w], next - vertex_face);
}

}  // namespace

void find_pairs(const Launch& at) {
  const uint64_t leaves = uint64_t{at.a.vertex_tree.count[0]} + at.a.edge_tree.count[0];
  walk<<<at.blocks_for(32 * leaves, 32 * walk_warps), 32 * walk_warps, 0, at.stream>>>(at.a);
  meet<<<at.filled(16), 32 * meet_warps, 0, at.stream>>>(at.a);
}
void find_crossing_packets(const Launch& at, bool first) {
  const uint64_t leaves = at.a.edge_tree.count[0];
  (first ? walk_at_start<true>
         : walk_at_start<false>)<<<at.blocks_for(32 * leaves, 32 * walk_warps), 32 * walk_warps, 0,
                                   at.stream>>>(at.a);
}

}  // namespace graze::gpu::device
