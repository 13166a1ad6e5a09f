#include "graze/gpu/kernels/stages.h"

namespace graze::gpu::device {
namespace {

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

constexpr uint32_t place_threads = 128, motion_blocks = motion_sample / place_threads;

// The first motion_blocks blocks measure the motion. If `compare`: copies the positions, and sets
// start_differs and static_moves.
template <bool swept>
__global__ void __launch_bounds__(place_threads) place_vertices(Arrays a, bool compare) {
  const Parameters now = a.control->now;
  if (blockIdx.x < motion_blocks) {
    measure_motion(a, now, blockIdx.x * place_threads + threadIdx.x);
    return;
  }
  const double* const known[2] = {compare ? now.free_start[0] : nullptr,
                                  compare ? now.free_start[1] : nullptr};
  double* const copy[2] = {compare ? now.start_copy : nullptr, compare ? now.end_copy : nullptr};
  const std::uint8_t* const is_static = a.filter.active ? a.filter.is_static : nullptr;
  bool differs[2] = {compare && !known[0], compare && !known[1]}, static_moves = false;
  const Frame frame = *a.frame;
  const uint64_t stride = uint64_t{gridDim.x - motion_blocks} * place_threads;
  for (uint64_t i = uint64_t{blockIdx.x - motion_blocks} * place_threads + threadIdx.x;
       i < a.vertices; i += stride) {
    const uint32_t v = a.order[i];
    VertexRecord record;
    bool finite = true, moves = false;
    for (int k = 0; k < 3; ++k) {
      record.start[k] = now.start[3 * uint64_t{v} + k];
      record.end[k] = now.end[3 * uint64_t{v} + k];
      finite = finite && isfinite(record.start[k]) && isfinite(record.end[k]);
      moves = moves || record.start[k] != record.end[k];
      for (int s = 0; s < 2; ++s)
        if (known[s]) differs[s] = differs[s] || record.start[k] != known[s][3 * i + k];
      if (copy[0]) copy[0][3 * i + k] = record.start[k];
      if (copy[1]) copy[1][3 * i + k] = record.end[k];
    }
    static_moves = static_moves || (moves && is_static && is_static[v]);
    if (!finite) a.control->not_finite = 1;
    record.id = v;
    record.is_point = a.is_point && a.is_point[v];
    record.unused[0] = record.unused[1] = 0;
    FloatCorner corner;
    MovingBox box;
    place_vertex(frame, record.start, record.end, now.begin, now.until, now.separation, corner,
                 box);
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
  for (int s = 0; s < 2; ++s)
    if (differs[s]) a.control->start_differs[s] = 1;
  if (static_moves) a.control->static_moves = 1;
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

// Computes the boxes of features, of leaves and of level 1, with one block per node of level 1.
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

// Computes the boxes of a level above level 1, with one warp per node.
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

}  // namespace

void bound(const Launch& at, bool swept, bool compare) {
  const Arrays& a = at.a;
  (swept ? place_vertices<true>
         : place_vertices<false>)<<<motion_blocks + at.blocks_for(a.vertices, place_threads),
                                    place_threads, 0, at.stream>>>(a, compare);
  const uint64_t features = uint64_t{a.vertices} + a.edges + a.faces + 96;
  const auto nodes = [](uint32_t count) { return (count + node_size - 1) / node_size; };
  bound_features<<<nodes(a.vertices) + nodes(a.edges) + nodes(a.faces), node_size, 0, at.stream>>>(
      a);
  for (int level = 2; level < std::max(a.edge_tree.levels, a.face_tree.levels); ++level)
    bound_level<<<at.blocks_for(features >> (5 * level - 1), 128), 128, 0, at.stream>>>(a, level);
}

}  // namespace graze::gpu::device
