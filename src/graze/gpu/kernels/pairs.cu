#include "graze/gpu/kernels/stages.h"

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
  if (start && !a.control->start_differs) return;
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

// Compares the positions at the start with positions at which no edge pierces a face.
__global__ void compare_start(Arrays a) {
  const double *const x = a.control->now.start, *const known = a.control->now.free_start;
  bool differs = !known;
  if (known)
    for (uint64_t i = uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < 3 * uint64_t{a.vertices};
         i += warp_stride())
      differs = differs || x[i] != known[i];
  if (differs) a.control->start_differs = 1;
}

constexpr int pair_warps = 4;

// A feature of a leaf with its box and its corners, so that a test of two features reads shared
// memory alone. The size lets eight threads that read neighbouring elements use all banks.
struct alignas(16) Row {
  uint4 word[3];  // the box, the place of the feature, its corners, its index
};
static_assert(sizeof(Row) == 48);

__device__ inline void store(Row& row, const MovingBox& box, uint32_t at, const Feature& feature) {
  row.word[0] = make_uint4(box.lo[0], box.lo[1], box.lo[2], box.hi[0]);
  row.word[1] = make_uint4(box.hi[1], box.hi[2], at, feature.corner[0]);
  row.word[2] = make_uint4(feature.corner[1], feature.corner[2], feature.id, 0);
}
__device__ inline MovingBox box_of(const Row& row) {
  const uint4 p = row.word[0], q = row.word[1];
  return {{p.x, p.y, p.z}, {p.w, q.x, q.y}};
}
__device__ inline bool share_vertex(const Row& a, const Row& b) {
  const uint32_t p[3] = {a.word[1].w, a.word[2].x, a.word[2].y},
                 q[3] = {b.word[1].w, b.word[2].x, b.word[2].y};
  bool share = false;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) share = share || p[i] == q[j];
  return share;
}
// Returns whether a vertex may pair with a face without area, a rod or a point.
__device__ inline bool meets_collapsed(const Arrays& a, const Row& vertex, const Row& face) {
  const bool is_rod = face.word[1].w != face.word[2].x;
  const VertexRecord& record = a.record[vertex.word[1].z];
  return record.is_point && (is_rod || record.id < a.record[face.word[1].w].id);
}

// k / n = k * inverse_of[n] >> 16 for k < 256 and 0 < n <= 16: inverse_of[n] = 65536 / n + 1.
__constant__ int inverse_of[leaf_size + 1] = {0,     65537, 32769, 21846, 16385, 13108,
                                              10923, 9363,  8193,  7282,  6554,  5958,
                                              5462,  5042,  4682,  4370,  4097};

// A half-warp per packet pair finds the features whose moving boxes meet and that share no vertex.
// If `start`: the edges and faces whose boxes overlap at the begin of the slab.
template <bool start>
__global__ void __launch_bounds__(32 * pair_warps) meet(Arrays a) {
  constexpr uint32_t guards = start ? begin_guard : guard_bits;
  constexpr List from = start ? crossing_packets : packets;
  const uint2* const list = start ? a.crossing[0] : a.list[packets];
  __shared__ Row rows[pair_warps][2][leaf_size], columns[pair_warps][2][leaf_size];
  __shared__ Waiting waiting[2][pair_warps];
  int held_vf = 0, held_ee = 0;
  const int lane = threadIdx.x & 31, w = threadIdx.x / 32, half = lane / leaf_size,
            own = lane & (leaf_size - 1);
  const uint64_t count = length(a, from);
  const auto packet_at = [&](uint64_t i) { return i < count ? list[i] : make_uint2(0, 0); };
  uint2 next = packet_at(first_of_warp() / 16 + half);
  for (uint64_t p = first_of_warp() / 16; p < count; p += warp_stride() / 16) {
    const bool exists = p + half < count;
    const uint2 packet = next;
    next = packet_at(p + warp_stride() / 16 + half);  // its latency passes during the tests
    const bool edges = packet.x >> 31;
    const uint32_t leaf_a = packet.x & 0x7fffffffu, leaf_b = packet.y;
    const uint32_t at_a = leaf_a * leaf_size + own, at_b = leaf_b * leaf_size + own;
    bool row = exists && at_a < (edges ? a.edges : a.vertices);
    bool column = exists && at_b < (edges && !start ? a.edges : a.faces);
    MovingBox box_a, box_b;
    Feature feature_a{{at_a, at_a, at_a}, 0}, feature_b;
    if (row) box_a = (edges ? a.edge_box : a.vertex_box)[at_a];
    if (row && edges) feature_a = a.edge[at_a];
    if (column) box_b = (edges && !start ? a.edge_box : a.face_box)[at_b];
    if (column) feature_b = (edges && !start ? a.edge : a.face)[at_b];
    if (exists) {
      const MovingBox all_a = (edges ? a.edge_tree : a.vertex_tree).box[0][leaf_a];
      const MovingBox all_b = (edges && !start ? a.edge_tree : a.face_tree).box[0][leaf_b];
      row = row && !stay_apart<guards>(box_a, all_b);
      column = column && !stay_apart<guards>(box_b, all_a);
    }
    const unsigned row_mask = __ballot_sync(full_warp, row);
    const unsigned column_mask = __ballot_sync(full_warp, column);
    const unsigned before = (1u << own) - 1;
    if (row)
      store(rows[w][half][__popc(row_mask >> (half * leaf_size) & before)], box_a, at_a, feature_a);
    if (column)
      store(columns[w][half][__popc(column_mask >> (half * leaf_size) & before)], box_b, at_b,
            feature_b);
    __syncwarp();
    const unsigned kinds = __ballot_sync(full_warp, edges);
    const unsigned same_leaf = __ballot_sync(full_warp, !start && edges && leaf_a == leaf_b);
    const int wide_0 = __popc(column_mask & 0xffffu), wide_1 = __popc(column_mask >> 16);
    const int all_0 = __popc(row_mask & 0xffffu) * wide_0;
    const int all = all_0 + __popc(row_mask >> 16) * wide_1;
    const int inverse_0 = inverse_of[wide_0], inverse_1 = inverse_of[wide_1];
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
        const Row &row_r = rows[w][h][r], &row_c = columns[w][h][c];
        pair = make_uint2(row_r.word[1].z, row_c.word[1].z);
        hit = !stay_apart<guards>(box_of(row_r), box_of(row_c)) &&
              !((same_leaf >> (16 * h) & 1) && pair.x >= pair.y) && !share_vertex(row_r, row_c);
        if (hit && (start || !of_edges) && row_c.word[2].z >= a.true_faces)
          hit = !start && meets_collapsed(a, row_r, row_c);
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
      if (filter_admits(a, places, 2, places + 2, 3))
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
  compare_start<<<at.blocks_for(3 * uint64_t{at.a.vertices}, 256), 256, 0, at.stream>>>(at.a);
  walk<true><<<at.blocks_for(32 * leaves, 32 * walk_warps), 32 * walk_warps, 0, at.stream>>>(at.a);
  meet<true><<<at.blocks_for(256 * leaves, 32 * pair_warps), 32 * pair_warps, 0, at.stream>>>(at.a);
  (first ? test_crossings<true>
         : test_crossings<false>)<<<at.blocks_for(32 * leaves, 128), 128, 0, at.stream>>>(at.a);
}

}  // namespace graze::gpu::device
