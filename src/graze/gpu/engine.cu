#include "graze/gpu/engine.h"

#include <cuda_runtime.h>
#include <cub/device/device_radix_sort.cuh>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <tuple>
#include <utility>

#include "graze/gpu/certified_roots.h"
#include "graze/gpu/contact_place.h"
#include "graze/gpu/moving_codes.h"
#include "graze/gpu/separating_direction.h"
#include "graze/gpu/start_side.h"

// Kernels and their order. What decides something is in the headers above; the code here
// distributes the work. Between two stages lies a list: a counter and an array. A counter also
// counts what the array has no room for; the host compares it with the capacity, enlarges the array
// and repeats the search.
namespace graze::gpu {
namespace {

using std::uint32_t;
using std::uint64_t;
using Counter = unsigned long long;

constexpr unsigned full_warp = 0xffffffffu;
constexpr int leaf_size = 16, fan_out = 32, max_levels = 7;
constexpr uint32_t most_at_top = 512;  // nodes of the highest level of a tree
constexpr uint32_t bucket_count = 1u << 16;
constexpr uint32_t largest_bucket = 4096;  // above it the host sorts
constexpr int sample_size = 256;
constexpr uint32_t motion_sample = 4096;

enum List {
  packets,
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
  crossing_pairs,
  crossings,
  list_count
};

// What changes from call to call, in memory of the host that the device reads.
struct Parameters {
  const double *start, *end;
  double begin, until;
  uint32_t call;  // its number
};

// The state of a search on the device; a copy goes to the host at the end.
struct Control {
  Parameters now;
  Counter count[list_count];
  Counter best;     // bits of a double
  Counter winner;   // kind, a, b in 1 + 31 + 31 bits
  Counter pierced;  // the first edge that pierces a face, and the face, in 32 + 32 bits
  uint32_t not_finite, most_in_bucket;
  uint32_t finished_blocks;  // of the last kernel
  double motion_sum;
  double corners[24];  // of the winner
  uint32_t done;       // number of the call
};

struct alignas(16) VertexRecord {
  double start[3], end[3];
  uint32_t id, unused[3];
};
static_assert(sizeof(VertexRecord) == 64);

struct alignas(16) FoundContact {
  uint2 pair;
  Bracket root;
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
  uint32_t vertices, edges, faces;
  const uint32_t *mesh_edges, *mesh_faces;
  uint32_t *order, *place;  // of vertices
  VertexRecord* record;
  FloatCorner* corner;
  MovingBox *vertex_box, *edge_box, *face_box;
  Feature *edge, *face;  // in spatial order
  TreeLevels vertex_tree, edge_tree, face_tree;
  Frame* frame;
  uint2* list[left_ee + 3];  // packets to deep_ee
  FoundContact* found[2];
  OpenQuery* open;
  uint2* crossing[3];  // crossing_packets to crossings
  ImpactRecord *records, *sorted;
  ImpactRecord* host_records;  // in memory of the host, as many as `sorted`, or null
  uint32_t *bucket, *bucket_begin, *block_sum, *bucket_of, *rank, *slot;
  double* motions;
  uint32_t *keys, *keys_out, *ids, *ids_out;
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

// ---- the end of a search -----------------------------------------------------------------------

// Returns whether this is the last block of the kernel to come here. All threads call it.
__device__ inline bool is_last_block(const Arrays& a) {
  __shared__ bool last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(&a.control->finished_blocks, 1u) == gridDim.x - 1;
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

// ---- start and order ---------------------------------------------------------------------------

__global__ void start_search(Arrays a) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  for (uint32_t k = i; k < bucket_count; k += gridDim.x * blockDim.x) a.bucket[k] = 0;
  if (i < list_count) a.control->count[i] = 0;
  if (i == 0) {
    a.control->now = *a.parameters;
    a.control->best = 0x4000000000000000ull;  // 2
    a.control->winner = a.control->pierced = ~0ull;
    a.control->not_finite = a.control->most_in_bucket = a.control->finished_blocks = 0;
    a.control->motion_sum = 0;
  }
}

// Sorts three arrays in shared memory, one per 256 threads.
__device__ inline void sort_samples(double (&values)[3][sample_size]) {
  double* const own = values[threadIdx.x / sample_size];
  const int i = threadIdx.x % sample_size;
  for (int k = 2; k <= sample_size; k *= 2)
    for (int j = k / 2; j > 0; j /= 2) {
      __syncthreads();
      const int other = i ^ j;
      if (other > i) {
        const double x = own[i], y = own[other];
        if ((x > y) == ((i & k) == 0)) {
          own[i] = y;
          own[other] = x;
        }
      }
    }
  __syncthreads();
}

// One block: the frame of a sample of the positions at the start. It changes no answer.
__global__ void __launch_bounds__(3 * sample_size) find_frame(Arrays a) {
  __shared__ double value[3][sample_size];
  const int axis = threadIdx.x / sample_size, i = threadIdx.x % sample_size;
  const uint64_t at = uint64_t(i) * a.vertices / sample_size;
  const double x = a.control->now.start[3 * at + axis];
  value[axis][i] = x;
  sort_samples(value);
  const double middle[3] = {value[0][sample_size / 2], value[1][sample_size / 2],
                            value[2][sample_size / 2]};
  __syncthreads();
  value[axis][i] = fabs(x / 2 - (axis == 0 ? middle[0] : axis == 1 ? middle[1] : middle[2]) / 2);
  sort_samples(value);
  if (threadIdx.x > 0) return;
  double reach = 0, extent = 0;
  for (int k = 0; k < 3; ++k) {
    reach = fmax(reach, value[k][sample_size / 2]);
    extent = fmax(extent, 2 * value[k][sample_size - 1]);
  }
  *a.frame = make_frame(middle, reach, extent);
}

__device__ inline void codes_of_vertex(const Arrays& a, uint32_t vertex, MovingBox& box) {
  FloatCorner corner;
  place_vertex(*a.frame, a.control->now.start + 3 * uint64_t{vertex},
               a.control->now.end + 3 * uint64_t{vertex}, 0, 1, corner, box);
}

__global__ void key_vertices(Arrays a) {
  for (uint64_t v = first_of_warp() + (threadIdx.x & 31); v < a.vertices; v += warp_stride()) {
    MovingBox box;
    codes_of_vertex(a, static_cast<uint32_t>(v), box);
    a.keys[v] = curve_code(box);
    a.ids[v] = static_cast<uint32_t>(v);
  }
}
__global__ void place_order(Arrays a) {
  for (uint64_t i = first_of_warp() + (threadIdx.x & 31); i < a.vertices; i += warp_stride()) {
    a.order[i] = a.ids_out[i];
    a.place[a.ids_out[i]] = static_cast<uint32_t>(i);
  }
}
template <int corners>
__global__ void key_features(Arrays a) {
  const uint32_t count = corners == 2 ? a.edges : a.faces;
  const uint32_t* const from = corners == 2 ? a.mesh_edges : a.mesh_faces;
  for (uint64_t i = first_of_warp() + (threadIdx.x & 31); i < count; i += warp_stride()) {
    MovingBox box, other;
    codes_of_vertex(a, from[corners * i], box);
    for (int c = 1; c < corners; ++c) {
      codes_of_vertex(a, from[corners * i + c], other);
      extend(box, other);
    }
    a.keys[i] = curve_code(box);
    a.ids[i] = static_cast<uint32_t>(i);
  }
}
template <int corners>
__global__ void place_features(Arrays a) {
  const uint32_t count = corners == 2 ? a.edges : a.faces;
  const uint32_t* const from = corners == 2 ? a.mesh_edges : a.mesh_faces;
  Feature* const to = corners == 2 ? a.edge : a.face;
  for (uint64_t i = first_of_warp() + (threadIdx.x & 31); i < count; i += warp_stride()) {
    Feature feature;
    feature.id = a.ids_out[i];
    for (int c = 0; c < 3; ++c)
      feature.corner[c] =
          a.place[from[uint64_t{corners} * feature.id + (c < corners ? c : corners - 1)]];
    to[i] = feature;
  }
}

// Adds the motion of a sampled edge, as broad::relative_motion() computes it. Called by whole
// warps.
__device__ inline void measure_motion(const Arrays& a, const Parameters& now, uint64_t i) {
  const uint32_t stride = a.edges / motion_sample + 1;
  const uint32_t count = (a.edges + stride - 1) / stride;
  double motion = 0;
  if (i < count) {
    const uint32_t* const edge = a.mesh_edges + 2 * i * stride;
    const auto extent = [](const double* p, const double* q) {
      return fmax(fmax(fabs(p[0] / 2 - q[0] / 2), fabs(p[1] / 2 - q[1] / 2)),
                  fabs(p[2] / 2 - q[2] / 2));
    };
    const double* const s0 = now.start + 3 * uint64_t{edge[0]};
    const double* const s1 = now.start + 3 * uint64_t{edge[1]};
    const double moved = fmax(extent(s0, now.end + 3 * uint64_t{edge[0]}),
                              extent(s1, now.end + 3 * uint64_t{edge[1]}));
    motion = moved > 0 ? moved / extent(s0, s1) : 0;
    motion = 16 < motion ? 16 : motion;
    a.motions[i] = motion;
  }
  for (int step = 16; step > 0; step /= 2) motion += __shfl_xor_sync(full_warp, motion, step);
  if ((threadIdx.x & 31) == 0 && motion != 0) atomicAdd(&a.control->motion_sum, motion);
}

// ---- boxes and trees ---------------------------------------------------------------------------

template <bool swept>
__global__ void place_vertices(Arrays a) {
  const Frame frame = *a.frame;
  const Parameters now = a.control->now;
  for (uint64_t i = first_of_warp() + (threadIdx.x & 31); i < a.vertices; i += warp_stride()) {
    const uint32_t v = a.order[i];
    VertexRecord record;
    bool finite = true;
    for (int k = 0; k < 3; ++k) {
      record.start[k] = now.start[3 * uint64_t{v} + k];
      record.end[k] = now.end[3 * uint64_t{v} + k];
      finite = finite && isfinite(record.start[k]) && isfinite(record.end[k]);
    }
    if (!finite) a.control->not_finite = 1;
    record.id = v;
    record.unused[0] = record.unused[1] = record.unused[2] = 0;
    FloatCorner corner;
    MovingBox box;
    place_vertex(frame, record.start, record.end, now.begin, now.until, corner, box);
    if (swept)  // the same box at both ends
      for (int k = 0; k < 3; ++k) {
        const uint32_t lo = min(box.lo[k] & 0xffffu, box.lo[k] >> 16);
        const uint32_t hi = max(box.hi[k] & 0xffffu, box.hi[k] >> 16);
        box.lo[k] = lo | lo << 16;
        box.hi[k] = hi | hi << 16;
      }
    a.record[i] = record;
    a.corner[i] = corner;
    a.vertex_box[i] = box;
  }
  for (uint64_t base = first_of_warp(); base < motion_sample; base += warp_stride())
    measure_motion(a, now, base + (threadIdx.x & 31));
}

template <int width>
__device__ inline void extend_lanes(MovingBox& box) {
  for (int step = width / 2; step > 0; step /= 2)
    for (int k = 0; k < 3; ++k) {
      box.lo[k] = min_halves(box.lo[k], __shfl_xor_sync(full_warp, box.lo[k], step));
      box.hi[k] = max_halves(box.hi[k], __shfl_xor_sync(full_warp, box.hi[k], step));
    }
}

constexpr int node_size = leaf_size * fan_out;  // features below a node of level 1

// Boxes of features, of leaves and of level 1: a block per node of level 1.
__global__ void __launch_bounds__(node_size) bound_features(Arrays a) {
  __shared__ MovingBox part[node_size / 32];
  const auto nodes = [](uint32_t count) { return (count + node_size - 1) / node_size; };
  const uint32_t v = nodes(a.vertices), e = nodes(a.edges);
  const int list = blockIdx.x < v ? 0 : blockIdx.x < v + e ? 1 : 2;
  const uint32_t node = blockIdx.x - (list == 0 ? 0 : list == 1 ? v : v + e);
  const uint64_t i = uint64_t{node} * node_size + threadIdx.x;
  const uint32_t count = list == 0 ? a.vertices : list == 1 ? a.edges : a.faces;
  MovingBox box = empty_box();
  if (i < count) {
    if (list == 0) {
      box = a.vertex_box[i];
    } else {
      const Feature feature = list == 1 ? a.edge[i] : a.face[i];
      box = a.vertex_box[feature.corner[0]];
      extend(box, a.vertex_box[feature.corner[1]]);
      if (list == 2) extend(box, a.vertex_box[feature.corner[2]]);
      (list == 1 ? a.edge_box : a.face_box)[i] = box;
    }
  }
  extend_lanes<leaf_size>(box);
  const TreeLevels& tree = list == 0 ? a.vertex_tree : list == 1 ? a.edge_tree : a.face_tree;
  if ((threadIdx.x & (leaf_size - 1)) == 0 && i < count) tree.box[0][i / leaf_size] = box;
  if (list == 0) return;
  for (int k = 0; k < 3; ++k) {
    box.lo[k] = min_halves(box.lo[k], __shfl_xor_sync(full_warp, box.lo[k], leaf_size));
    box.hi[k] = max_halves(box.hi[k], __shfl_xor_sync(full_warp, box.hi[k], leaf_size));
  }
  if ((threadIdx.x & 31) == 0) part[threadIdx.x / 32] = box;
  __syncthreads();
  if (threadIdx.x < 32) {
    box = part[threadIdx.x & (node_size / 32 - 1)];
    extend_lanes<node_size / 32>(box);
    if (threadIdx.x == 0) tree.box[1][node] = box;
  }
}

// Boxes of a level above the leaves, a warp per node.
__global__ void bound_level(Arrays a, int level) {
  const uint32_t e = level < a.edge_tree.levels ? a.edge_tree.count[level] : 0;
  const uint32_t f = level < a.face_tree.levels ? a.face_tree.count[level] : 0;
  for (uint64_t warp = first_of_warp() / 32; warp < uint64_t{e} + f; warp += warp_stride() / 32) {
    const TreeLevels& tree = warp < e ? a.edge_tree : a.face_tree;
    const uint32_t node = static_cast<uint32_t>(warp < e ? warp : warp - e);
    const uint64_t child = uint64_t{node} * fan_out + (threadIdx.x & 31);
    MovingBox box = child < tree.count[level - 1] ? tree.box[level - 1][child] : empty_box();
    extend_lanes<32>(box);
    if ((threadIdx.x & 31) == 0) tree.box[level][node] = box;
  }
}

// ---- packets and pairs -------------------------------------------------------------------------

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
            const Feature f = a.edge[pair.x], g = a.face[pair.y];
            for (int c = 0; c < 3; ++c)
              hit = hit && f.corner[0] != g.corner[c] && f.corner[1] != g.corner[c];
          } else if (of_edges) {
            const Feature f = a.edge[pair.x], g = a.edge[pair.y];
            hit = f.corner[0] != g.corner[0] && f.corner[0] != g.corner[1] &&
                  f.corner[1] != g.corner[0] && f.corner[1] != g.corner[1];
          } else {
            const Feature f = a.face[pair.y];
            hit = f.corner[0] != pair.x && f.corner[1] != pair.x && f.corner[2] != pair.x;
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
// `first`: of the former only the least pair of indices is kept; otherwise they have the highest
// bit set.
template <bool first>
__global__ void test_crossings(Arrays a) {
  const uint64_t count = length(a, crossing_pairs);
  for (uint64_t base = first_of_warp(); base < count; base += warp_stride()) {
    const uint64_t i = base + (threadIdx.x & 31);
    Piercing piercing = Piercing::no;
    uint2 ids = make_uint2(0, 0);
    if (i < count) {
      const uint2 pair = a.crossing[1][i];
      const Feature e = a.edge[pair.x], f = a.face[pair.y];
      const auto at = [&](uint32_t place) -> Vec {
        const VertexRecord& r = a.record[place];
        return {r.start[0], r.start[1], r.start[2]};
      };
      piercing = pierces(at(e.corner[0]), at(e.corner[1]), at(f.corner[0]), at(f.corner[1]),
                         at(f.corner[2]));
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
    if (piercing == Piercing::yes) ids.x |= 0x80000000u;
    if (wanted && to < a.capacity[crossings]) a.crossing[2][to] = ids;
  }
}

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

// Drops the pairs that a direction keeps apart.
__global__ void try_directions(Arrays a) {
  for_each_pair(a, met_vf, met_ee, [&](auto kind, bool wanted, uint64_t i) {
    constexpr QueryKind k = decltype(kind)::value;
    constexpr bool edges = k == edge_edge_query;
    uint2 pair = make_uint2(0, 0);
    if (wanted) {
      pair = a.list[edges ? met_ee : met_vf][i];
      FloatPair<k> corners;
      uint32_t corner[4];
      if (edges) {
        const Feature f = a.edge[pair.x], g = a.edge[pair.y];
        corner[0] = f.corner[0];
        corner[1] = f.corner[1];
        corner[2] = g.corner[0];
        corner[3] = g.corner[1];
      } else {
        const Feature f = a.face[pair.y];
        corner[0] = pair.x;
        corner[1] = f.corner[0];
        corner[2] = f.corner[1];
        corner[3] = f.corner[2];
      }
      for (int c = 0; c < 4; ++c) corners.set(c, a.corner[corner[c]]);
      wanted = !corners.stays_apart();
    }
    const List to = edges ? left_ee : left_vf;
    const uint64_t at = append(&a.control->count[to], wanted);
    if (wanted && at < a.capacity[to]) a.list[to][at] = pair;
  });
}

// Keeps the pairs whose swept boxes overlap, and writes their indices.
__global__ void keep_overlapping(Arrays a) {
  for_each_pair(a, met_vf, met_ee, [&](auto kind, bool wanted, uint64_t i) {
    constexpr QueryKind k = decltype(kind)::value;
    constexpr bool edges = k == edge_edge_query;
    uint2 ids = make_uint2(0, 0);
    if (wanted) {
      uint32_t corner[4];
      corners_of<k>(a, a.list[edges ? met_ee : met_vf][i], corner, ids.x, ids.y);
      for (int axis = 0; axis < 3 && wanted; ++axis) {
        double lo[2], hi[2];
        for (int c = 0; c < 4; ++c) {
          const VertexRecord& r = a.record[corner[c]];
          const int side = c >= (edges ? 2 : 1);
          const double least = fmin(r.start[axis], r.end[axis]),
                       most = fmax(r.start[axis], r.end[axis]);
          const bool first = c == 0 || c == (edges ? 2 : 1);
          lo[side] = first ? least : fmin(lo[side], least);
          hi[side] = first ? most : fmax(hi[side], most);
        }
        wanted = lo[0] <= hi[1] && lo[1] <= hi[0];
      }
    }
    const List to = edges ? left_ee : left_vf;
    const uint64_t at = append(&a.control->count[to], wanted);
    if (wanted && at < a.capacity[to]) a.list[to][at] = ids;
  });
  if (is_last_block(a)) report(a);
}

// ---- exact stages ------------------------------------------------------------------------------

template <QueryKind kind>
__device__ inline void load(const Arrays& a, uint2 pair, MovingCorners& x, uint32_t& id_a,
                            uint32_t& id_b) {
  uint32_t corner[4];
  corners_of<kind>(a, pair, corner, id_a, id_b);
  for (int c = 0; c < 4; ++c) {
    const VertexRecord& r = a.record[corner[c]];
    x.at[0][c] = {r.start[0], r.start[1], r.start[2]};
    x.at[1][c] = {r.end[0], r.end[1], r.end[2]};
  }
}

// The end of the time in which a query counts: of the slab; when the first impact is wanted, the
// double after the best bound so far.
template <bool first>
__device__ inline double last_time(const Arrays& a) {
  const double until = a.control->now.until;
  if (!first) return until;
  const Counter best = *static_cast<volatile Counter*>(&a.control->best);
  return smaller(until, __longlong_as_double(static_cast<long long>(best + 1)));
}
// Leaves a query to the host. Written to its memory.
__device__ inline void leave_open(OpenQuery& to, uint32_t kind, uint32_t id_a, uint32_t id_b,
                                  double earliest, const MovingCorners& x) {
  to.kind = kind;
  to.a = id_a;
  to.b = id_b;
  to.unused = 0;
  to.earliest = earliest;
  for (int c = 0; c < 8; ++c) {
    const Vec& p = x.at[c / 4][c % 4];
    to.corners[3 * c] = p.x;
    to.corners[3 * c + 1] = p.y;
    to.corners[3 * c + 2] = p.z;
  }
}
__device__ inline void lower_best(const Arrays& a, double time) {
  const Counter bits = static_cast<Counter>(__double_as_longlong(time + 0.0));
  if (bits < *static_cast<volatile Counter*>(&a.control->best)) atomicMin(&a.control->best, bits);
}

template <bool first, bool deep>
__global__ void __launch_bounds__(128) find_roots(Arrays a) {
  for_each_pair(
      a, deep ? deep_vf : left_vf, deep ? deep_ee : left_ee,
      [&](auto kind, bool wanted, uint64_t i) {
        constexpr QueryKind k = decltype(kind)::value;
        constexpr bool edges = k == edge_edge_query;
        constexpr List from = deep ? (edges ? deep_ee : deep_vf) : (edges ? left_ee : left_vf);
        uint2 pair = make_uint2(0, 0);
        uint32_t id_a = 0, id_b = 0;
        Bracket root{0, 0, 0};
        Stage stage = Stage::miss;
        MovingCorners x;
        if (wanted) {
          pair = a.list[from][i];
          load<k>(a, pair, x, id_a, id_b);
          const double t_max = last_time<first>(a);
          stage = deep ? examine_pieces<k>(x, t_max, root) : examine_step<k>(x, t_max, root);
        }
        const bool contact = stage == Stage::contact, unknown = stage == Stage::unknown;
        if (first && contact) lower_best(a, root.hi);
        const List to = edges ? found_ee : found_vf;
        uint64_t at = append(&a.control->count[to], contact);
        if (contact && at < a.capacity[to]) a.found[edges][at] = {pair, root};
        if (deep) {
          at = append(&a.control->count[open_list], unknown);
          if (unknown && at < a.capacity[open_list])
            leave_open(a.open[at], k, id_a, id_b, root.lo, x);
        } else {
          const List next = edges ? deep_ee : deep_vf;
          at = append(&a.control->count[next], unknown);
          if (unknown && at < a.capacity[next]) a.list[next][at] = pair;
        }
      });
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

__device__ inline uint32_t bucket_of_time(double toi) {
  return min(static_cast<uint32_t>(toi * bucket_count), bucket_count - 1);
}

template <bool first>
__global__ void __launch_bounds__(128) find_times(Arrays a) {
  for_each_pair(a, found_vf, found_ee, [&](auto kind, bool wanted, uint64_t i) {
    constexpr QueryKind k = decltype(kind)::value;
    constexpr bool edges = k == edge_edge_query;
    uint32_t id_a = 0, id_b = 0;
    double toi = 0, toi_hi = 0;
    Bracket root{0, 0, 0};
    ContactPlace place{0, 0, {0, 0, 0}};
    bool decided = false;
    MovingCorners x;
    if (wanted) {
      const FoundContact contact = a.found[edges][i];
      root = contact.root;
      if (first) wanted = root.lo <= last_time<true>(a);
      if (wanted) {
        load<k>(a, contact.pair, x, id_a, id_b);
        decided = tightest_times<k>(x, root, toi, toi_hi);
        if (!first && decided) decided = locate_contact<k>(x, toi, place);
        if (first && decided) lower_best(a, toi);
      }
    }
    const bool open = wanted && !decided;
    uint64_t at = append(&a.control->count[open_list], open);
    if (open && at < a.capacity[open_list]) leave_open(a.open[at], k, id_a, id_b, root.lo, x);
    at = append(&a.control->count[record_list], decided);
    if (decided && at < a.capacity[record_list]) {
      a.records[at] = {edges, {0, 0, 0}, id_a, id_b, 0, contact_body(toi, toi_hi, place)};
      if (!first) {
        const uint32_t bucket = bucket_of_time(toi);
        a.bucket_of[at] = bucket;
        a.rank[at] = atomicAdd(&a.bucket[bucket], 1u);
      }
    }
  });
  if (!first || !is_last_block(a)) return;
  // The first of the contacts at the best time.
  const Counter best = __ldcg(&a.control->best), all = __ldcg(&a.control->count[record_list]);
  const uint64_t count = all < a.capacity[record_list] ? all : a.capacity[record_list];
  for (uint64_t i = threadIdx.x; i < count; i += blockDim.x) {
    const ImpactRecord& r = a.records[i];
    if (static_cast<Counter>(__double_as_longlong(__ldcg(&r.impact.toi))) != best) continue;
    const Counter kind = __ldcg(&r.kind);
    atomicMin(&a.control->winner, kind << 62 | Counter{__ldcg(&r.a)} << 31 | __ldcg(&r.b));
  }
  __threadfence();
  __syncthreads();
  const Counter winner = __ldcg(&a.control->winner);
  if (winner != ~Counter{0} && threadIdx.x < 24) {
    const uint32_t corner = threadIdx.x / 3 % 4;
    const auto id_a = static_cast<uint32_t>(winner >> 31 & 0x7fffffffu);
    const auto id_b = static_cast<uint32_t>(winner & 0x7fffffffu);
    const uint32_t vertex = winner >> 62
                                ? a.mesh_edges[2 * uint64_t{corner < 2 ? id_a : id_b} + corner % 2]
                            : corner == 0 ? id_a
                                          : a.mesh_faces[3 * uint64_t{id_b} + corner - 1];
    const Parameters& now = a.control->now;
    a.control->corners[threadIdx.x] =
        (threadIdx.x < 12 ? now.start : now.end)[3 * uint64_t{vertex} + threadIdx.x % 3];
  }
  __threadfence();
  __syncthreads();
  report(a);
}

// ---- order of contacts -------------------------------------------------------------------------

__device__ inline uint32_t largest_of_warp(uint32_t x) {
  for (int step = 16; step > 0; step /= 2) x = max(x, __shfl_xor_sync(full_warp, x, step));
  return x;
}

constexpr uint32_t scan_size = 1024, scan_blocks = bucket_count / scan_size;

// bucket_begin[i] is the number of contacts in the buckets before i of the same block, and
// block_sum[b] that of block b.
__global__ void __launch_bounds__(scan_size) scan_buckets(Arrays a) {
  __shared__ uint32_t warp_sum[32];
  const uint32_t i = blockIdx.x * scan_size + threadIdx.x, lane = threadIdx.x & 31;
  const uint32_t own = a.bucket[i];
  uint32_t sum = own;
  for (uint32_t step = 1; step < 32; step *= 2) {
    const uint32_t before = __shfl_up_sync(full_warp, sum, step);
    if (lane >= step) sum += before;
  }
  if (lane == 31) warp_sum[threadIdx.x / 32] = sum;
  const uint32_t most = largest_of_warp(own);
  if (lane == 0 && most > 1) atomicMax(&a.control->most_in_bucket, most);
  __syncthreads();
  if (threadIdx.x < 32) {
    uint32_t total = warp_sum[lane];
    for (uint32_t step = 1; step < 32; step *= 2) {
      const uint32_t before = __shfl_up_sync(full_warp, total, step);
      if (lane >= step) total += before;
    }
    warp_sum[lane] = total;
    if (lane == 31) a.block_sum[blockIdx.x] = total;
  }
  __syncthreads();
  a.bucket_begin[i] = sum - own + (threadIdx.x < 32 ? 0 : warp_sum[threadIdx.x / 32 - 1]);
}

// Sets block_begin[b] to the number of contacts in the blocks of buckets before b. Called by all
// threads of a block, at least scan_blocks.
__device__ inline void begin_blocks(const Arrays& a, uint32_t (&block_begin)[scan_blocks]) {
  if (threadIdx.x < scan_blocks) {
    uint32_t sum = 0;
    for (uint32_t b = 0; b < threadIdx.x; ++b) sum += a.block_sum[b];
    block_begin[threadIdx.x] = sum;
  }
  __syncthreads();
}

__global__ void fill_slots(Arrays a) {
  __shared__ uint32_t block_begin[scan_blocks];
  begin_blocks(a, block_begin);
  const uint64_t count = length(a, record_list);
  for (uint64_t i = first_of_warp() + (threadIdx.x & 31); i < count; i += warp_stride()) {
    const uint32_t bucket = a.bucket_of[i];
    a.slot[block_begin[bucket / scan_size] + a.bucket_begin[bucket] + a.rank[i]] =
        static_cast<uint32_t>(i);
  }
}
__device__ inline bool comes_before(const ImpactRecord& p, const ImpactRecord& q) {
  if (p.impact.toi != q.impact.toi) return p.impact.toi < q.impact.toi;
  if (p.kind != q.kind) return p.kind < q.kind;
  return p.a != q.a ? p.a < q.a : p.b < q.b;
}
template <bool to_host>
__global__ void sort_records(Arrays a) {
  __shared__ uint32_t block_begin[scan_blocks];
  begin_blocks(a, block_begin);
  const uint64_t count = a.control->most_in_bucket > largest_bucket ? 0 : length(a, record_list);
  for (uint64_t i = first_of_warp() + (threadIdx.x & 31); i < count; i += warp_stride()) {
    const ImpactRecord own = a.records[i];
    const uint32_t bucket = a.bucket_of[i];
    const uint32_t begin = block_begin[bucket / scan_size] + a.bucket_begin[bucket];
    uint32_t before = 0;
    const uint32_t size = a.bucket[bucket];
    for (uint32_t k = 0; k < size; ++k) {
      const uint32_t other = a.slot[begin + k];
      if (other != i) before += comes_before(a.records[other], own);
    }
    a.sorted[begin + before] = own;
  }
  if (!to_host && is_last_block(a)) report(a);
}
// Writes the sorted contacts to the host, side by side.
__global__ void copy_to_host(Arrays a) {
  const uint64_t count = length(a, record_list) * (sizeof(ImpactRecord) / sizeof(uint4));
  const uint4* const from = reinterpret_cast<const uint4*>(a.sorted);
  uint4* const to = reinterpret_cast<uint4*>(a.host_records);
  for (uint64_t i = first_of_warp() + (threadIdx.x & 31); i < count; i += warp_stride())
    to[i] = from[i];
  __threadfence_system();
  if (is_last_block(a)) report(a);
}

// ---- host: memory ------------------------------------------------------------------------------

Fault fault_of(cudaError_t error, const char* what) {
  cudaGetLastError();  // clears it
  const std::string text = cudaGetErrorString(error);
  if (error == cudaErrorMemoryAllocation)
    return {FaultKind::out_of_memory,
            std::string("the GPU has too little free memory for ") + what};
  if (error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver ||
      error == cudaErrorInvalidDevice)
    return {FaultKind::no_device, "no usable GPU: " + text};
  return {FaultKind::failed, std::string("the GPU failed at ") + what + ": " + text};
}

#define GRAZE_TRY(call, what)                                                 \
  do {                                                                        \
    const cudaError_t error_of_call = (call);                                 \
    if (error_of_call != cudaSuccess) return fault_of(error_of_call, (what)); \
  } while (false)
#define GRAZE_PASS(call)                                    \
  do {                                                      \
    if (Fault fault_of_call = (call)) return fault_of_call; \
  } while (false)

// Memory of the device that is freed with the object. `used` counts the bytes of all arrays of one
// engine, at most `limit` if that is not 0.
struct MemoryUse {
  std::size_t used = 0, limit = 0;
};
template <class T>
class Array {
 public:
  Array() = default;
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() { cudaFree(data_); }

  T* data() const { return data_; }
  std::size_t size() const { return size_; }

  // Makes room for `count` elements; the old ones are lost.
  Fault resize(std::size_t count, MemoryUse& use, const char* what) {
    if (count == size_ && data_) return {};
    cudaFree(data_);
    use.used -= size_ * sizeof(T);
    data_ = nullptr;
    size_ = 0;
    const std::size_t most = std::max<std::size_t>(count, 1);
    if (use.limit > 0 && use.used + most * sizeof(T) > use.limit)
      return {FaultKind::out_of_memory,
              std::string("the memory limit of the search is too small for ") + what};
    void* memory = nullptr;
    GRAZE_TRY(cudaMalloc(&memory, most * sizeof(T)), what);
    data_ = static_cast<T*>(memory);
    size_ = most;
    use.used += size_ * sizeof(T);
    return {};
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

// Memory of the host that the device reads and writes.
template <class T>
class SharedArray {
 public:
  SharedArray() = default;
  SharedArray(const SharedArray&) = delete;
  SharedArray& operator=(const SharedArray&) = delete;
  ~SharedArray() { cudaFreeHost(data_); }
  // Makes room for `count` elements with all bits 0.
  Fault make(std::size_t count, const char* what) {
    cudaFreeHost(data_);
    data_ = nullptr;
    size_ = 0;
    void* memory = nullptr;
    GRAZE_TRY(
        cudaHostAlloc(&memory, count * sizeof(T), cudaHostAllocMapped | cudaHostAllocPortable),
        what);
    std::memset(memory, 0, count * sizeof(T));
    data_ = static_cast<T*>(memory);
    size_ = count;
    return {};
  }
  std::size_t size() const { return size_; }
  T* operator->() const { return data_; }
  T* host() const { return data_; }
  T* device() const {
    void* address = nullptr;
    cudaHostGetDevicePointer(&address, data_, 0);
    return static_cast<T*>(address);
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

class Stream {
 public:
  Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() {
    if (ready_) cudaEventDestroy(ready_);
    if (stream_) cudaStreamDestroy(stream_);
  }
  Fault make() {
    GRAZE_TRY(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "a stream");
    GRAZE_TRY(cudaEventCreateWithFlags(&ready_, cudaEventDisableTiming), "an event");
    return {};
  }
  // Lets this stream wait for the work of another one so far.
  Fault wait_for(cudaStream_t other) {
    GRAZE_TRY(cudaEventRecord(ready_, other), "an event");
    GRAZE_TRY(cudaStreamWaitEvent(stream_, ready_, 0), "an event");
    return {};
  }
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
  cudaEvent_t ready_ = nullptr;
};

// ---- host: the engine --------------------------------------------------------------------------

class CudaEngine final : public Engine {
 public:
  ~CudaEngine() override { forget_graphs(); }

  Fault make(int device, const Topology& mesh, const Capacities& capacities,
             std::size_t memory_limit) {
    device_ = device;
    use_.limit = memory_limit;
    GRAZE_TRY(cudaSetDevice(device), "choosing the device");
    cudaDeviceProp properties;
    GRAZE_TRY(cudaGetDeviceProperties(&properties, device), "reading its properties");
    processors_ = properties.multiProcessorCount;
    if (mesh.vertices >= (1u << 30) || mesh.edge_count >= 0x7fffffffu ||
        mesh.face_count >= 0x7fffffffu)
      return {FaultKind::out_of_memory, "the mesh has more features than the device can number"};
    GRAZE_PASS(stream_.make());
    GRAZE_PASS(side_stream_.make());
    GRAZE_PASS(parameters_.make(1, "its parameters"));
    GRAZE_PASS(report_.make(1, "its report"));
    a_.vertices = static_cast<uint32_t>(mesh.vertices);
    a_.edges = static_cast<uint32_t>(mesh.edge_count);
    a_.faces = static_cast<uint32_t>(mesh.face_count);
    const char* const what = "the mesh";
    GRAZE_PASS(control_.resize(1, use_, what));
    GRAZE_TRY(cudaMemset(control_.data(), 0, sizeof(Control)), what);
    GRAZE_PASS(frame_.resize(1, use_, what));
    GRAZE_PASS(mesh_edges_.resize(2 * mesh.edge_count, use_, what));
    GRAZE_PASS(mesh_faces_.resize(3 * mesh.face_count, use_, what));
    GRAZE_PASS(order_.resize(2 * mesh.vertices, use_, what));
    GRAZE_PASS(record_.resize(mesh.vertices, use_, what));
    GRAZE_PASS(corner_.resize(mesh.vertices, use_, what));
    GRAZE_PASS(feature_.resize(mesh.edge_count + mesh.face_count, use_, what));
    GRAZE_PASS(box_.resize(mesh.vertices + mesh.edge_count + mesh.face_count, use_, what));
    const std::size_t most = std::max({mesh.vertices, mesh.edge_count, mesh.face_count});
    GRAZE_PASS(keys_.resize(4 * most, use_, what));
    GRAZE_PASS(motions_.resize(motion_sample, use_, what));
    GRAZE_PASS(buckets_.resize(2 * bucket_count + 1024, use_, what));
    if (most > 0) {
      GRAZE_TRY(cub::DeviceRadixSort::SortPairs(nullptr, sort_bytes_, keys_.data(), keys_.data(),
                                                keys_.data(), keys_.data(),
                                                static_cast<uint32_t>(most), 0, curve_bits),
                "sorting");
      GRAZE_PASS(sort_memory_.resize(sort_bytes_, use_, what));
    }
    a_.control = control_.data();
    a_.parameters = parameters_.device();
    a_.report = report_.device();
    a_.mesh_edges = mesh_edges_.data();
    a_.mesh_faces = mesh_faces_.data();
    a_.order = order_.data();
    a_.place = order_.data() + mesh.vertices;
    a_.record = record_.data();
    a_.corner = corner_.data();
    a_.edge = feature_.data();
    a_.face = feature_.data() + mesh.edge_count;
    a_.vertex_box = box_.data();
    a_.edge_box = a_.vertex_box + mesh.vertices;
    a_.face_box = a_.edge_box + mesh.edge_count;
    a_.frame = frame_.data();
    a_.motions = motions_.data();
    a_.keys = keys_.data();
    a_.keys_out = a_.keys + most;
    a_.ids = a_.keys_out + most;
    a_.ids_out = a_.ids + most;
    a_.bucket = buckets_.data();
    a_.bucket_begin = a_.bucket + bucket_count;
    a_.block_sum = a_.bucket_begin + bucket_count;
    std::size_t nodes = 0;
    for (int pass = 0; pass < 2; ++pass) {
      MovingBox* next = nodes_.data();
      nodes = 0;
      const auto lay_out = [&](TreeLevels& tree, std::size_t features) {
        tree.levels = 0;
        std::size_t count = (features + leaf_size - 1) / leaf_size;
        while (true) {
          tree.count[tree.levels] = static_cast<uint32_t>(count);
          tree.box[tree.levels++] = next + (pass == 1 ? nodes : 0);
          nodes += count;
          if (count <= most_at_top && tree.levels > 1) break;
          count = (count + fan_out - 1) / fan_out;
        }
      };
      lay_out(a_.vertex_tree, mesh.vertices);
      lay_out(a_.edge_tree, mesh.edge_count);
      lay_out(a_.face_tree, mesh.face_count);
      if (pass == 0) GRAZE_PASS(nodes_.resize(nodes, use_, what));
    }
    GRAZE_TRY(
        cudaMemcpyAsync(mesh_edges_.data(), mesh.edges, 2 * mesh.edge_count * sizeof(uint32_t),
                        cudaMemcpyHostToDevice, stream_),
        "copying the mesh");
    GRAZE_TRY(
        cudaMemcpyAsync(mesh_faces_.data(), mesh.faces, 3 * mesh.face_count * sizeof(uint32_t),
                        cudaMemcpyHostToDevice, stream_),
        "copying the mesh");
    const uint64_t features = mesh.edge_count + mesh.face_count + mesh.vertices;
    wanted_[packets] = capacities.packets ? capacities.packets : 4 * features + 1024;
    for (int list = met_vf; list <= deep_ee; ++list)
      wanted_[list] = capacities.pairs ? capacities.pairs : 4 * features + 1024;
    for (int list = found_vf; list < list_count; ++list)
      wanted_[list] = capacities.contacts ? capacities.contacts : features + 1024;
    if (!capacities.contacts) wanted_[open_list] = 4096;
    for (int list = crossing_packets; list <= crossing_pairs; ++list)
      wanted_[list] = capacities.pairs ? capacities.pairs : 2 * features + 1024;
    wanted_[crossings] = capacities.contacts ? capacities.contacts : 4096;
    return grow();
  }

  Fault search(const SlabQuestion& question, SlabAnswer& answer) override {
    answer = {};
    GRAZE_TRY(cudaSetDevice(device_), "choosing the device");
    GRAZE_PASS(take_positions(question));
    parameters_->begin = question.begin;
    parameters_->until = question.until;
    on_host_ = false;
    if (a_.vertices == 0) return {};
    while (true) {
      if (question.to_host && host_records_.size() < a_.capacity[record_list]) {
        forget_graphs();
        GRAZE_PASS(host_records_.make(a_.capacity[record_list], "the contacts on the host"));
        a_.host_records = host_records_.device();
      }
      GRAZE_PASS(launch(question));
      GRAZE_PASS(wait());
      const Control& state = *report_.host();
      if (state.not_finite) {
        answer.finite = false;
        return {};
      }
      bool enough = true;
      for (int list = 0; list < list_count; ++list)
        if (state.count[list] > a_.capacity[list]) {
          wanted_[list] = state.count[list] + state.count[list] / 4;
          enough = false;
        }
      if (enough) break;
      GRAZE_PASS(grow());
    }
    return read_answer(question, answer);
  }

  Fault sampled_motions(std::vector<double>& motions) override {
    const uint32_t stride = a_.edges / motion_sample + 1;
    motions.resize((a_.edges + stride - 1) / stride);
    return to_host(motions.data(), motions_.data(), motions.size());
  }

  Fault positions(double* start, double* end) override {
    const std::size_t count = 3 * std::size_t{a_.vertices};
    if (start) GRAZE_PASS(to_host(start, parameters_->start, count));
    if (end) GRAZE_PASS(to_host(end, parameters_->end, count));
    return {};
  }

  Fault contacts(ImpactRecord* records, uint64_t count) override {
    return to_host(records, sorted_.data(), count);
  }
  const ImpactRecord* contacts_on_host() const override {
    return on_host_ ? host_records_.host() : nullptr;
  }
  const ImpactRecord* contacts_on_device() const override { return sorted_.data(); }
  Fault store_contacts(const ImpactRecord* records, uint64_t count) override {
    if (sorted_.size() < count) {
      forget_graphs();
      wanted_[record_list] = count;
      GRAZE_PASS(grow());
    }
    GRAZE_TRY(cudaMemcpyAsync(sorted_.data(), records, count * sizeof(ImpactRecord),
                              cudaMemcpyHostToDevice, stream_),
              "copying contacts");
    GRAZE_TRY(cudaStreamSynchronize(stream_), "copying contacts");
    return {};
  }

  Fault pairs(uint32_t* vertex_face, uint32_t* edge_edge) override {
    GRAZE_PASS(
        to_host(reinterpret_cast<uint2*>(vertex_face), a_.list[left_vf], report_->count[left_vf]));
    return to_host(reinterpret_cast<uint2*>(edge_edge), a_.list[left_ee], report_->count[left_ee]);
  }

  std::size_t memory() const override { return use_.used; }

 private:
  template <class T>
  Fault to_host(T* to, const T* from, std::size_t count) {
    GRAZE_TRY(cudaMemcpyAsync(to, from, count * sizeof(T), cudaMemcpyDeviceToHost, stream_),
              "copying an answer");
    GRAZE_TRY(cudaStreamSynchronize(stream_), "copying an answer");
    return {};
  }

  Fault grow() {
    forget_graphs();
    for (int list = packets; list <= deep_ee; ++list) {
      if (wanted_[list] == a_.capacity[list]) continue;
      a_.capacity[list] = 0;
      GRAZE_PASS(lists_[list].resize(wanted_[list], use_, "the list of pairs"));
      a_.list[list] = lists_[list].data();
      a_.capacity[list] = wanted_[list];
    }
    for (int list = crossing_packets; list <= crossings; ++list) {
      if (wanted_[list] == a_.capacity[list]) continue;
      Array<uint2>& memory = crossing_[list - crossing_packets];
      a_.capacity[list] = 0;
      GRAZE_PASS(memory.resize(wanted_[list], use_, "the crossings at the start"));
      a_.crossing[list - crossing_packets] = memory.data();
      a_.capacity[list] = wanted_[list];
    }
    for (int list = found_vf; list <= found_ee; ++list) {
      if (wanted_[list] == a_.capacity[list]) continue;
      a_.capacity[list] = 0;
      GRAZE_PASS(found_[list - found_vf].resize(wanted_[list], use_, "the list of roots"));
      a_.found[list - found_vf] = found_[list - found_vf].data();
      a_.capacity[list] = wanted_[list];
    }
    if (wanted_[open_list] != a_.capacity[open_list]) {
      a_.capacity[open_list] = 0;
      GRAZE_PASS(open_.make(wanted_[open_list], "the undecided queries"));
      a_.open = open_.device();
      a_.capacity[open_list] = wanted_[open_list];
    }
    if (wanted_[record_list] != a_.capacity[record_list]) {
      const uint64_t count = wanted_[record_list];
      a_.capacity[record_list] = 0;
      GRAZE_PASS(records_.resize(count, use_, "the contacts"));
      GRAZE_PASS(sorted_.resize(count, use_, "the contacts"));
      GRAZE_PASS(slots_.resize(3 * count, use_, "the contacts"));
      a_.records = records_.data();
      a_.sorted = sorted_.data();
      a_.bucket_of = slots_.data();
      a_.rank = a_.bucket_of + count;
      a_.slot = a_.rank + count;
      a_.capacity[record_list] = count;
    }
    return {};
  }

  Fault take_positions(const SlabQuestion& question) {
    if (!question.new_positions) return {};
    if (question.on_device) {
      parameters_->start = question.start;
      parameters_->end = question.end;
      return question.stream ? stream_.wait_for(static_cast<cudaStream_t>(question.stream))
                             : Fault{};
    }
    const std::size_t count = 3 * std::size_t{a_.vertices};
    if (positions_.size() < 2 * count)
      GRAZE_PASS(positions_.resize(2 * count, use_, "the positions"));
    GRAZE_TRY(cudaMemcpyAsync(positions_.data(), question.start, count * sizeof(double),
                              cudaMemcpyHostToDevice, stream_),
              "copying positions");
    GRAZE_TRY(cudaMemcpyAsync(positions_.data() + count, question.end, count * sizeof(double),
                              cudaMemcpyHostToDevice, stream_),
              "copying positions");
    parameters_->start = positions_.data();
    parameters_->end = positions_.data() + count;
    return {};
  }

  unsigned blocks_for(uint64_t threads, unsigned block) const {
    const uint64_t most = uint64_t(processors_) * (2048 / block);
    return static_cast<unsigned>(std::clamp<uint64_t>((threads + block - 1) / block, 1, most));
  }

  Fault sort_keys(uint32_t count) {
    GRAZE_TRY(
        cub::DeviceRadixSort::SortPairs(sort_memory_.data(), sort_bytes_, a_.keys, a_.keys_out,
                                        a_.ids, a_.ids_out, count, 0, curve_bits, stream_),
        "sorting");
    return {};
  }

  Fault make_order() {
    find_frame<<<1, 3 * sample_size, 0, stream_>>>(a_);
    key_vertices<<<blocks_for(a_.vertices, 256), 256, 0, stream_>>>(a_);
    GRAZE_PASS(sort_keys(a_.vertices));
    place_order<<<blocks_for(a_.vertices, 256), 256, 0, stream_>>>(a_);
    if (a_.edges > 0) {
      key_features<2><<<blocks_for(a_.edges, 256), 256, 0, stream_>>>(a_);
      GRAZE_PASS(sort_keys(a_.edges));
      place_features<2><<<blocks_for(a_.edges, 256), 256, 0, stream_>>>(a_);
    }
    if (a_.faces > 0) {
      key_features<3><<<blocks_for(a_.faces, 256), 256, 0, stream_>>>(a_);
      GRAZE_PASS(sort_keys(a_.faces));
      place_features<3><<<blocks_for(a_.faces, 256), 256, 0, stream_>>>(a_);
    }
    return {};
  }

  // Starts the kernels of a search: a graph per kind of search, recorded at its first use and after
  // an array has moved.
  Fault launch(const SlabQuestion& question) {
    parameters_->call = ++call_;
    const bool ordering = !ordered_ || question.new_order;
    const int kind = question.to_host ? 3 : static_cast<int>(question.wanted);
    cudaGraphExec_t& graph = graphs_[4 * kind + 2 * question.crossings + ordering];
    if (!graph) {
      cudaGraph_t recorded = nullptr;
      GRAZE_TRY(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "recording");
      const Fault fault = enqueue(question, ordering);
      const cudaError_t ended = cudaStreamEndCapture(stream_, &recorded);
      if (fault) {
        if (recorded) cudaGraphDestroy(recorded);
        return fault;
      }
      GRAZE_TRY(ended, "recording");
      const cudaError_t made = cudaGraphInstantiate(&graph, recorded, 0);
      cudaGraphDestroy(recorded);
      if (made != cudaSuccess) graph = nullptr;
      GRAZE_TRY(made, "recording");
    }
    GRAZE_TRY(cudaGraphLaunch(graph, stream_), "starting the search");
    ordered_ = true;
    return {};
  }

  void forget_graphs() {
    for (cudaGraphExec_t& graph : graphs_)
      if (graph) cudaGraphExecDestroy(std::exchange(graph, nullptr));
  }

  Fault enqueue(const SlabQuestion& question, bool ordering) {
    start_search<<<bucket_count / 1024, 256, 0, stream_>>>(a_);
    if (ordering) GRAZE_PASS(make_order());
    const bool overlapping = question.wanted == Wanted::overlapping;
    const bool first = question.wanted == Wanted::first;
    (overlapping ? place_vertices<true>
                 : place_vertices<false>)<<<blocks_for(a_.vertices, 128), 128, 0, stream_>>>(a_);
    const uint64_t features = uint64_t{a_.vertices} + a_.edges + a_.faces + 96;
    const auto nodes = [](uint32_t count) { return (count + node_size - 1) / node_size; };
    bound_features<<<nodes(a_.vertices) + nodes(a_.edges) + nodes(a_.faces), node_size, 0,
                     stream_>>>(a_);
    for (int level = 2; level < std::max(a_.edge_tree.levels, a_.face_tree.levels); ++level)
      bound_level<<<blocks_for(features >> (5 * level - 1), 128), 128, 0, stream_>>>(a_, level);
    const uint64_t leaves = uint64_t{a_.vertex_tree.count[0]} + a_.edge_tree.count[0];
    if (question.crossings) {  // beside the search
      GRAZE_PASS(side_stream_.wait_for(stream_));
      const uint64_t edge_leaves = a_.edge_tree.count[0];
      walk<true>
          <<<blocks_for(32 * edge_leaves, 32 * walk_warps), 32 * walk_warps, 0, side_stream_>>>(a_);
      meet<true>
          <<<blocks_for(256 * edge_leaves, 32 * pair_warps), 32 * pair_warps, 0, side_stream_>>>(
              a_);
      (first ? test_crossings<true>
             : test_crossings<false>)<<<blocks_for(32 * edge_leaves, 128), 128, 0, side_stream_>>>(
          a_);
    }
    walk<false><<<blocks_for(32 * leaves, 32 * walk_warps), 32 * walk_warps, 0, stream_>>>(a_);
    const auto filled = [&](unsigned block, unsigned per_processor) {
      return dim3(static_cast<unsigned>(processors_) * per_processor, 1, 1);
    };
    meet<false><<<filled(128, 16), 32 * pair_warps, 0, stream_>>>(a_);
    if (overlapping) {
      keep_overlapping<<<filled(128, 8), 128, 0, stream_>>>(a_);
    } else {
      try_directions<<<filled(128, 8), 128, 0, stream_>>>(a_);
      (first ? find_roots<true, false>
             : find_roots<false, false>)<<<filled(128, 4), 128, 0, stream_>>>(a_);
      (first ? find_roots<true, true>
             : find_roots<false, true>)<<<filled(128, 4), 128, 0, stream_>>>(a_);
      if (question.crossings) GRAZE_PASS(stream_.wait_for(side_stream_));
      (first ? find_times<true> : find_times<false>)<<<filled(128, 4), 128, 0, stream_>>>(a_);
      if (!first) {
        scan_buckets<<<scan_blocks, scan_size, 0, stream_>>>(a_);
        fill_slots<<<filled(128, 4), 128, 0, stream_>>>(a_);
        (question.to_host ? sort_records<true>
                          : sort_records<false>)<<<filled(128, 4), 128, 0, stream_>>>(a_);
        if (question.to_host) copy_to_host<<<filled(128, 2), 128, 0, stream_>>>(a_);
      }
    }
    return {};
  }

  Fault wait() {
    const volatile uint32_t* const done = &report_->done;
    for (uint64_t spins = 0; *done != call_; ++spins) {
      if (spins % 4096 != 4095) continue;
      const cudaError_t state = cudaStreamQuery(stream_);
      if (state == cudaErrorNotReady) continue;
      GRAZE_TRY(state, "the search");
      if (*done != call_) return {FaultKind::failed, "the GPU ended a search without a report"};
    }
    std::atomic_thread_fence(std::memory_order_acquire);
    return {};
  }

  Fault read_answer(const SlabQuestion& question, SlabAnswer& answer) {
    const Control& state = *report_.host();
    const uint32_t stride = a_.edges / motion_sample + 1,
                   sampled = (a_.edges + stride - 1) / stride;
    answer.motion = sampled > 0 ? state.motion_sum / sampled : 0;
    answer.tested = state.count[met_vf] + state.count[met_ee];
    if (question.wanted == Wanted::overlapping) {
      answer.vertex_face = state.count[left_vf];
      answer.edge_edge = state.count[left_ee];
      return {};
    }
    if (question.crossings && state.count[crossings] > 0) {
      std::vector<uint2> found(state.count[crossings]);
      GRAZE_PASS(to_host(found.data(), a_.crossing[2], found.size()));
      for (const uint2& pair : found)
        answer.crossings.push_back({pair.x & 0x7fffffffu, pair.y, pair.x >> 31});
    }
    if (question.crossings && state.pierced != ~Counter{0})
      answer.crossings.push_back(
          {static_cast<uint32_t>(state.pierced >> 32), static_cast<uint32_t>(state.pierced), 1});
    answer.open.assign(open_.host(), open_.host() + state.count[open_list]);
    if (question.wanted == Wanted::first) {
      std::memcpy(&answer.best, &state.best, sizeof(double));
      answer.has_winner = state.winner != ~Counter{0};
      answer.kind = static_cast<uint32_t>(state.winner >> 62);
      answer.a = static_cast<uint32_t>(state.winner >> 31 & 0x7fffffffu);
      answer.b = static_cast<uint32_t>(state.winner & 0x7fffffffu);
      std::copy(std::begin(state.corners), std::end(state.corners), answer.corners);
      return {};
    }
    answer.contacts = state.count[record_list];
    if (state.most_in_bucket > largest_bucket) return sort_on_host(answer.contacts);
    on_host_ = question.to_host;
    return {};
  }

  Fault sort_on_host(uint64_t count) {
    std::vector<ImpactRecord> records(count);
    GRAZE_PASS(to_host(records.data(), a_.records, count));
    std::sort(records.begin(), records.end(), [](const ImpactRecord& p, const ImpactRecord& q) {
      return std::tie(p.impact.toi, p.kind, p.a, p.b) < std::tie(q.impact.toi, q.kind, q.a, q.b);
    });
    return store_contacts(records.data(), count);
  }

  int device_ = 0, processors_ = 1;
  uint32_t call_ = 0;
  bool ordered_ = false;
  cudaGraphExec_t graphs_[16] = {};
  bool on_host_ = false;  // the last contacts are in host_records_
  MemoryUse use_;
  Arrays a_{};
  uint64_t wanted_[list_count] = {};
  std::size_t sort_bytes_ = 0;
  Array<Control> control_;
  Array<Frame> frame_;
  Array<uint32_t> mesh_edges_, mesh_faces_, order_, keys_, buckets_, slots_;
  Array<VertexRecord> record_;
  Array<FloatCorner> corner_;
  Array<Feature> feature_;
  Array<MovingBox> box_, nodes_;
  Array<double> motions_, positions_;
  Array<unsigned char> sort_memory_;
  Array<uint2> lists_[deep_ee + 1];
  Array<FoundContact> found_[2];
  SharedArray<OpenQuery> open_;
  Array<ImpactRecord> records_, sorted_;
  SharedArray<Parameters> parameters_;
  SharedArray<Control> report_;
  SharedArray<ImpactRecord> host_records_;
  Array<uint2> crossing_[3];
  Stream stream_, side_stream_;
};

// ---- queries in memory -------------------------------------------------------------------------

// The arrays of answer_queries(). Every list has room for all queries.
struct QueryArrays {
  const double* queries;
  ImpactBody* impacts;
  uint32_t count;
  double t_max;
  Counter* counter;  // of left, deep, found, open
  uint32_t *left, *deep;
  uint2* found;
  Bracket* root;
  uint32_t* open;
};
enum QueryList { left_queries, deep_queries, found_queries, open_queries, query_lists };

__device__ inline void load(const QueryArrays& a, uint32_t i, MovingCorners& x) {
  const double* const from = a.queries + 24 * uint64_t{i};
  for (int c = 0; c < 8; ++c) x.at[c / 4][c % 4] = {from[3 * c], from[3 * c + 1], from[3 * c + 2]};
}

__device__ inline ImpactBody body_without_contact(bool invalid, uint32_t checks) {
  const double nan = __longlong_as_double(0x7ff8000000000000ll);
  const double inf = __longlong_as_double(0x7ff0000000000000ll);
  return {static_cast<std::uint8_t>(invalid ? 3 : 0),
          0,
          0xffff,
          checks,
          invalid ? 0 : inf,
          invalid ? nan : inf,
          nan,
          nan,
          {nan, nan, nan}};
}

template <QueryKind kind>
__global__ void cull_queries(QueryArrays a) {
  for (uint64_t base = first_of_warp(); base < a.count; base += warp_stride()) {
    const auto i = static_cast<uint32_t>(base + (threadIdx.x & 31));
    bool wanted = i < a.count;
    if (wanted) {
      MovingCorners x;
      load(a, i, x);
      const bool finite = is_finite(x);
      a.impacts[i] = body_without_contact(!finite, 0);
      wanted = finite && !is_culled<kind>(x, a.t_max);
    }
    const uint64_t at = append(&a.counter[left_queries], wanted);
    if (wanted) a.left[at] = i;
  }
}

template <QueryKind kind, bool is_deep>
__global__ void __launch_bounds__(128) find_query_roots(QueryArrays a) {
  const uint64_t count = a.counter[is_deep ? deep_queries : left_queries];
  for (uint64_t base = first_of_warp(); base < count; base += warp_stride()) {
    const uint64_t k = base + (threadIdx.x & 31);
    uint32_t i = 0;
    Bracket root{0, 0, 0};
    Stage stage = Stage::rootless;
    if (k < count) {
      i = (is_deep ? a.deep : a.left)[k];
      MovingCorners x;
      load(a, i, x);
      stage =
          is_deep ? examine_pieces<kind>(x, a.t_max, root) : examine_step<kind>(x, a.t_max, root);
      if (stage == Stage::miss) a.impacts[i].checks = 1;
    }
    const bool contact = stage == Stage::contact, unknown = stage == Stage::unknown;
    uint64_t at = append(&a.counter[found_queries], contact);
    if (contact) {
      a.found[at] = make_uint2(i, 0);
      a.root[at] = root;
    }
    at = append(&a.counter[is_deep ? open_queries : deep_queries], unknown);
    if (unknown && is_deep) a.open[at] = i;
    if (unknown && !is_deep) a.deep[at] = i;
  }
}

template <QueryKind kind>
__global__ void __launch_bounds__(128) find_query_times(QueryArrays a) {
  const uint64_t count = a.counter[found_queries];
  for (uint64_t base = first_of_warp(); base < count; base += warp_stride()) {
    const uint64_t k = base + (threadIdx.x & 31);
    bool open = false;
    uint32_t i = 0;
    if (k < count) {
      i = a.found[k].x;
      MovingCorners x;
      load(a, i, x);
      double toi = 0, toi_hi = 0;
      ContactPlace place;
      if (tightest_times<kind>(x, a.root[k], toi, toi_hi) && locate_contact<kind>(x, toi, place))
        a.impacts[i] = contact_body(toi, toi_hi, place);
      else
        open = true;
    }
    const uint64_t at = append(&a.counter[open_queries], open);
    if (open) a.open[at] = i;
  }
}

template <QueryKind kind>
void launch_queries(const QueryArrays& a, unsigned blocks, cudaStream_t stream) {
  cull_queries<kind><<<blocks, 128, 0, stream>>>(a);
  find_query_roots<kind, false><<<blocks, 128, 0, stream>>>(a);
  find_query_roots<kind, true><<<blocks, 128, 0, stream>>>(a);
  find_query_times<kind><<<blocks, 128, 0, stream>>>(a);
}

}  // namespace

Fault answer_queries(int device, uint32_t kind, const double* queries, std::size_t count,
                     bool on_device, double t_max, ImpactBody* impacts, std::vector<uint64_t>& open,
                     void* stream_of_caller) {
  constexpr std::size_t most = std::size_t{1} << 21;
  GRAZE_TRY(cudaSetDevice(device), "choosing the device");
  if (count == 0) return {};
  MemoryUse use;
  const std::size_t part = std::min(count, most);
  Stream stream;
  Array<double> query_memory;
  Array<ImpactBody> impact_memory;
  Array<Counter> counters;
  Array<uint32_t> lists;
  Array<uint2> found;
  Array<Bracket> roots;
  const char* const what = "the queries";
  GRAZE_PASS(stream.make());
  GRAZE_PASS(counters.resize(query_lists, use, what));
  GRAZE_PASS(lists.resize(3 * part, use, what));
  GRAZE_PASS(found.resize(part, use, what));
  GRAZE_PASS(roots.resize(part, use, what));
  if (on_device) {
    if (stream_of_caller) GRAZE_PASS(stream.wait_for(static_cast<cudaStream_t>(stream_of_caller)));
  } else {
    GRAZE_PASS(query_memory.resize(24 * part, use, what));
    GRAZE_PASS(impact_memory.resize(part, use, what));
  }
  int processors = 1;
  GRAZE_TRY(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device),
            "reading its properties");
  for (std::size_t first = 0; first < count; first += most) {
    const std::size_t size = std::min(most, count - first);
    QueryArrays a{};
    a.queries = on_device ? queries + 24 * first : query_memory.data();
    a.impacts = on_device ? impacts + first : impact_memory.data();
    a.count = static_cast<uint32_t>(size);
    a.t_max = t_max;
    a.counter = counters.data();
    a.left = lists.data();
    a.deep = lists.data() + part;
    a.found = found.data();
    a.root = roots.data();
    a.open = lists.data() + 2 * part;
    if (!on_device)
      GRAZE_TRY(cudaMemcpyAsync(query_memory.data(), queries + 24 * first,
                                24 * size * sizeof(double), cudaMemcpyHostToDevice, stream),
                "copying queries");
    GRAZE_TRY(cudaMemsetAsync(counters.data(), 0, query_lists * sizeof(Counter), stream), what);
    const unsigned blocks = static_cast<unsigned>(processors) * 8;
    if (kind == vertex_face_query)
      launch_queries<vertex_face_query>(a, blocks, stream);
    else
      launch_queries<edge_edge_query>(a, blocks, stream);
    GRAZE_TRY(cudaGetLastError(), "starting the queries");
    Counter counts[query_lists];
    GRAZE_TRY(
        cudaMemcpyAsync(counts, counters.data(), sizeof(counts), cudaMemcpyDeviceToHost, stream),
        "copying answers");
    if (!on_device)
      GRAZE_TRY(cudaMemcpyAsync(impacts + first, impact_memory.data(), size * sizeof(ImpactBody),
                                cudaMemcpyDeviceToHost, stream),
                "copying answers");
    GRAZE_TRY(cudaStreamSynchronize(stream), "the queries");
    std::vector<uint32_t> left(counts[open_queries]);
    GRAZE_TRY(
        cudaMemcpy(left.data(), a.open, left.size() * sizeof(uint32_t), cudaMemcpyDeviceToHost),
        "copying answers");
    for (const uint32_t i : left) open.push_back(first + i);
  }
  return {};
}

Fault list_devices(std::vector<DeviceName>& devices) {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess) {
    cudaGetLastError();
    return {FaultKind::no_device, std::string("no usable GPU: ") + cudaGetErrorString(error)};
  }
  for (int i = 0; i < count; ++i) {
    cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, i) == cudaSuccess &&
        properties.major * 10 + properties.minor >= 75)
      devices.push_back({i, properties.name, properties.totalGlobalMem});
  }
  if (devices.empty())
    return {FaultKind::no_device, "no GPU of compute capability 7.5 or newer was found"};
  return {};
}

Fault make_engine(int device, const Topology& mesh, const Capacities& capacities,
                  std::size_t memory_limit, std::unique_ptr<Engine>& engine) {
  auto made = std::make_unique<CudaEngine>();
  GRAZE_PASS(made->make(device, mesh, capacities, memory_limit));
  engine = std::move(made);
  return {};
}

}  // namespace graze::gpu
