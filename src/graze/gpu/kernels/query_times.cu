#include "graze/gpu/kernels/query_times.h"

#include <cuda_pipeline.h>

#include <algorithm>
#include <atomic>

#include "graze/gpu/query_cull.h"

namespace graze::gpu::device {
namespace {

// The counters of the lists, of the contacts and of the blocks of the last kernel that have ended.
enum TimesList {
  left_times,
  deep_times,
  found_times,
  open_times,
  contact_times,
  ended_blocks,
  times_lists
};

// In memory of the host: the counters at the end, then the number of the call.
struct TimesReport {
  Counter counter[times_lists];
  uint32_t call;
};

struct FoundTime {
  uint32_t query;
  Bracket root;
};

// The arrays of a search. Every list has room for all queries.
struct TimesArrays {
  uint32_t count;
  double t_max;
  double* times;
  Counter* counter;
  TimesReport* report;
  uint32_t call;
  uint32_t *left, *deep, *open;
  FoundTime* found;
  // For pairs, by the indices of the mesh.
  const uint2* pairs;
  MeshView mesh;
  FloatCorner* corner;
  MovingBox *vertex_box, *feature_box;
  const Frame* frame;
  // For queries.
  const double* queries;
  bool early_launch;  // the device has programmatic dependent launch
};

__device__ inline void load_query(const double2* from, double (&x)[24]) {
  for (int k = 0; k < 12; ++k) {
    const double2 two = from[k];
    x[2 * k] = two.x;
    x[2 * k + 1] = two.y;
  }
}

template <QueryKind kind>
struct FromQueries {
  static __device__ inline void load(const TimesArrays& a, uint32_t i, MovingCorners& x) {
    double all[24];
    load_query(reinterpret_cast<const double2*>(a.queries) + 12 * uint64_t{i}, all);
    for (int c = 0; c < 8; ++c) x.at[c / 4][c % 4] = {all[3 * c], all[3 * c + 1], all[3 * c + 2]};
  }
};

template <QueryKind kind>
__device__ inline void corners_of_pair(const TimesArrays& a, uint2 pair, uint32_t (&corner)[4]) {
  if (kind == edge_edge_query) {
    const uint2* const edges = reinterpret_cast<const uint2*>(a.mesh.edges);
    const uint2 p = edges[pair.x], q = edges[pair.y];
    corner[0] = p.x;
    corner[1] = p.y;
    corner[2] = q.x;
    corner[3] = q.y;
  } else {
    corner[0] = pair.x;
    for (int c = 0; c < 3; ++c) corner[c + 1] = a.mesh.faces[3 * uint64_t{pair.y} + c];
  }
}

template <QueryKind kind>
struct FromPairs {
  static __device__ inline void load(const TimesArrays& a, uint32_t i, MovingCorners& x) {
    uint32_t corner[4];
    corners_of_pair<kind>(a, a.pairs[i], corner);
    for (int c = 0; c < 4; ++c) {
      const double *const s = a.mesh.start + 3 * uint64_t{corner[c]}, *const e =
                                                                          a.mesh.end +
                                                                          3 * uint64_t{corner[c]};
      x.at[0][c] = {s[0], s[1], s[2]};
      x.at[1][c] = {e[0], e[1], e[2]};
    }
  }
};

__device__ inline double without_contact() {
  return __longlong_as_double(0x7ff0000000000000ll);
}

// Queries that wait for a full warp.
struct WaitingQueries {
  uint32_t query[64];
};
// Adds the queries of the lanes with `wanted`. If 32 wait, calls test(true, query), one per lane.
// `held`: the number of those that wait. Called by whole warps.
template <class Test>
__device__ inline void add(WaitingQueries& waiting, int& held, bool wanted, uint32_t query,
                           Test&& test) {
  const int lane = threadIdx.x & 31;
  const unsigned mask = __ballot_sync(full_warp, wanted);
  if (mask == 0) return;
  if (wanted) waiting.query[held + __popc(mask & ((1u << lane) - 1))] = query;
  held += __popc(mask);
  __syncwarp();
  if (held < 32) return;
  held -= 32;
  const uint32_t full = waiting.query[lane], rest = waiting.query[32 + lane];
  __syncwarp();
  if (lane < held) waiting.query[lane] = rest;
  __syncwarp();
  test(true, full);
}
template <class Test>
__device__ inline void flush(const WaitingQueries& waiting, int held, Test&& test) {
  const int lane = threadIdx.x & 31;
  test(lane < held, lane < held ? waiting.query[lane] : 0);
}

constexpr int tile = 128;       // queries of a block at a time
constexpr int tile_blocks = 7;  // of a processor; with more a thread has too few registers
// The size of a query in shared memory, in units of 16 bytes: 12 and one that is not used, so that
// eight threads that read the same part of neighbouring queries use all banks.
constexpr int tile_stride = 13;

// Drops the queries that axes or directions keep apart. The axes are tested for all queries of a
// tile, the directions for those that are left, by full warps.
template <QueryKind kind>
__global__ void __launch_bounds__(tile, tile_blocks) cull_tiles(TimesArrays a) {
  __shared__ double2 rows[tile * tile_stride];
  __shared__ uint32_t kept[tile];
  __shared__ uint32_t kept_count;
  const double2* const queries = reinterpret_cast<const double2*>(a.queries);
  const int lane = threadIdx.x & 31;
  // The places of the parts of a quarter of a tile that a thread copies.
  uint32_t place[3];
  for (uint32_t r = 0; r < 3; ++r) {
    const uint32_t k = threadIdx.x + tile * r;
    place[r] = k / 12 * tile_stride + k % 12;
  }
  for (uint64_t base = uint64_t{blockIdx.x} * tile; base < a.count;
       base += uint64_t{gridDim.x} * tile) {
    const uint32_t size = static_cast<uint32_t>(min(uint64_t{tile}, a.count - base));
    for (uint32_t m = 0; m < 4; ++m)
      for (uint32_t r = 0; r < 3; ++r) {
        const uint32_t k = 3 * tile * m + tile * r + threadIdx.x;
        if (k < 12 * size)
          __pipeline_memcpy_async(&rows[tile / 4 * tile_stride * m + place[r]],
                                  queries + 12 * base + k, sizeof(double2));
      }
    __pipeline_commit();
    if (threadIdx.x == 0) kept_count = 0;
    __pipeline_wait_prior(0);
    __syncthreads();
    bool wanted = false;
    if (threadIdx.x < size) {
      double x[24];
      load_query(rows + threadIdx.x * tile_stride, x);
      const Cull cull = cull_by_axes<kind>(x);
      a.times[base + threadIdx.x] = cull == Cull::invalid ? 0 : without_contact();
      wanted = cull == Cull::open;
    }
    const unsigned mask = __ballot_sync(full_warp, wanted);
    uint32_t begin = 0;
    if (lane == 0 && mask != 0) begin = atomicAdd(&kept_count, __popc(mask));
    begin = __shfl_sync(full_warp, begin, 0);
    if (wanted) kept[begin + __popc(mask & ((1u << lane) - 1))] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x - lane < kept_count) {
      wanted = threadIdx.x < kept_count;
      const uint32_t query = wanted ? kept[threadIdx.x] : 0;
      if (wanted) {
        double x[24];
        load_query(rows + query * tile_stride, x);
        wanted = !stays_apart_in_floats<kind>(x, a.t_max);
      }
      const uint64_t at = append(&a.counter[left_times], wanted);
      if (wanted) a.left[at] = static_cast<uint32_t>(base) + query;
    }
    __syncthreads();
  }
}

// ---- pairs of a mesh ---------------------------------------------------------------------------

__global__ void place_by_index(TimesArrays a) {
  const Frame frame = *a.frame;
  for (uint64_t v = first_of_warp() + (threadIdx.x & 31); v < a.mesh.vertices; v += warp_stride())
    place_vertex(frame, a.mesh.start + 3 * v, a.mesh.end + 3 * v, 0, a.t_max, 0, a.corner[v],
                 a.vertex_box[v]);
}
template <QueryKind kind>
__global__ void bound_by_index(TimesArrays a) {
  constexpr int corners = kind == edge_edge_query ? 2 : 3;
  const uint32_t count = kind == edge_edge_query ? a.mesh.edge_count : a.mesh.face_count;
  const uint32_t* const of = kind == edge_edge_query ? a.mesh.edges : a.mesh.faces;
  for (uint64_t i = first_of_warp() + (threadIdx.x & 31); i < count; i += warp_stride()) {
    MovingBox box = a.vertex_box[of[corners * i]];
    for (int c = 1; c < corners; ++c) extend(box, a.vertex_box[of[corners * i + c]]);
    a.feature_box[i] = box;
  }
}

constexpr int pair_block = 256;

// Drops the pairs whose moving boxes stay apart, then those that a direction keeps apart, by full
// warps.
template <QueryKind kind>
__global__ void __launch_bounds__(pair_block) cull_pairs(TimesArrays a) {
  __shared__ WaitingQueries all_waiting[pair_block / 32];
  WaitingQueries& waiting = all_waiting[threadIdx.x / 32];
  const MovingBox* const first_box = kind == edge_edge_query ? a.feature_box : a.vertex_box;
  int held = 0;
  // Tests the directions of the query of each lane that has one.
  const auto test = [&](bool wanted, uint32_t query) {
    if (wanted) {
      uint32_t corner[4];
      corners_of_pair<kind>(a, a.pairs[query], corner);
      FloatPair<kind> floats;
      for (int c = 0; c < 4; ++c) floats.set(c, a.corner[corner[c]]);
      wanted = !floats.stays_apart();
    }
    const uint64_t at = append(&a.counter[left_times], wanted);
    if (wanted) a.left[at] = query;
  };
  for (uint64_t base = first_of_warp(); base < a.count; base += warp_stride()) {
    const uint64_t i = base + (threadIdx.x & 31);
    bool wanted = i < a.count;
    if (wanted) {
      const uint2 pair = a.pairs[i];
      a.times[i] = without_contact();
      wanted = !stay_apart(first_box[pair.x], a.feature_box[pair.y]);
    }
    add(waiting, held, wanted, static_cast<uint32_t>(i), test);
  }
  flush(waiting, held, test);
}

// ---- exact stages ------------------------------------------------------------------------------

__device__ inline void wait_for_kernel_before() {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

template <QueryKind kind, class Source>
__global__ void __launch_bounds__(128) bracket_times(TimesArrays a) {
  wait_for_kernel_before();
  const uint64_t count = a.counter[left_times];
  for (uint64_t base = first_of_warp(); base < count; base += warp_stride()) {
    const uint64_t k = base + (threadIdx.x & 31);
    uint32_t i = 0;
    Bracket root{0, 0, 0};
    Stage stage = Stage::miss;
    if (k < count) {
      i = a.left[k];
      MovingCorners x;
      Source::load(a, i, x);
      stage = examine_step<kind>(x, a.t_max, root);
    }
    const bool contact = stage == Stage::contact, unknown = stage == Stage::unknown;
    uint64_t at = append(&a.counter[found_times], contact);
    if (contact) a.found[at] = {i, root};
    at = append(&a.counter[deep_times], unknown);
    if (unknown) a.deep[at] = i;
  }
}

// Examines the pieces of the queries that bracket_times left, and finds the times of all contacts.
// A warp has queries of one of the two lists; the longer work comes first. The last block reports
// and sets the counters to 0.
template <QueryKind kind, class Source>
__global__ void __launch_bounds__(128) tighten_times(TimesArrays a) {
  wait_for_kernel_before();
  const uint64_t deep = a.counter[deep_times], found = a.counter[found_times],
                 from = to_full_warps(deep);
  for (uint64_t base = first_of_warp(); base < from + found; base += warp_stride()) {
    const bool is_deep = base < from;
    const uint64_t k = (is_deep ? base : base - from) + (threadIdx.x & 31);
    bool open = false, contact = false;
    uint32_t i = 0;
    if (k < (is_deep ? deep : found)) {
      Stage stage = Stage::contact;
      Bracket root;
      MovingCorners x;
      if (is_deep) {
        i = a.deep[k];
        Source::load(a, i, x);
        stage = examine_pieces<kind>(x, a.t_max, root);
      } else {
        const FoundTime one = a.found[k];
        i = one.query;
        root = one.root;
        Source::load(a, i, x);
      }
      double toi = 0, toi_hi = 0;
      contact = stage == Stage::contact && tightest_times<kind>(x, root, toi, toi_hi);
      if (contact) a.times[i] = toi;
      open = !contact && stage != Stage::miss;
    }
    append(&a.counter[contact_times], contact);
    const uint64_t at = append(&a.counter[open_times], open);
    if (open) a.open[at] = i;
  }
  __shared__ bool last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(&a.counter[ended_blocks], Counter{1}) == gridDim.x - 1;
  __syncthreads();
  if (!last || threadIdx.x > 0) return;
  for (int list = 0; list < times_lists; ++list) {
    a.report->counter[list] = __ldcg(&a.counter[list]);
    a.counter[list] = 0;
  }
  __threadfence_system();
  *static_cast<volatile uint32_t*>(&a.report->call) = a.call;
}

template <class Source>
__global__ void gather_open(TimesArrays a, uint32_t count, double* corners) {
  for (uint64_t k = first_of_warp() + (threadIdx.x & 31); k < count; k += warp_stride()) {
    MovingCorners x;
    Source::load(a, a.open[k], x);
    for (int c = 0; c < 8; ++c) {
      const Vec& p = x.at[c / 4][c % 4];
      corners[24 * k + 3 * c] = p.x;
      corners[24 * k + 3 * c + 1] = p.y;
      corners[24 * k + 3 * c + 2] = p.z;
    }
  }
}
__global__ void scatter_times(TimesArrays a, uint32_t count, const double* times) {
  for (uint64_t k = first_of_warp() + (threadIdx.x & 31); k < count; k += warp_stride())
    a.times[a.open[k]] = times[k];
}

// Launches a kernel of blocks of 128 threads that calls wait_for_kernel_before(): on devices that
// support it, the launch overlaps the end of the kernel before.
void launch_after(void (*kernel)(TimesArrays), unsigned blocks, cudaStream_t stream,
                  const TimesArrays& a) {
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = 128;
  config.stream = stream;
  config.attrs = &early;
  config.numAttrs = a.early_launch ? 1 : 0;
  cudaLaunchKernelEx(&config, kernel, a);  // an error is found by cudaGetLastError()
}

template <QueryKind kind, class Source>
void launch_stages(const TimesArrays& a, int processors, cudaStream_t stream) {
  const unsigned blocks = static_cast<unsigned>(processors) * 4;
  launch_after(bracket_times<kind, Source>, blocks, stream, a);
  launch_after(tighten_times<kind, Source>, blocks / 2, stream, a);  // it uses all registers
}

template <QueryKind kind>
void launch(const TimesArrays& a, int processors, cudaStream_t stream) {
  if (a.pairs) {
    const unsigned blocks = static_cast<unsigned>(processors) * 4;
    place_by_index<<<blocks, 128, 0, stream>>>(a);
    bound_by_index<kind><<<blocks, 128, 0, stream>>>(a);
    cull_pairs<kind>
        <<<static_cast<unsigned>(processors) * (2048 / pair_block), pair_block, 0, stream>>>(a);
    launch_stages<kind, FromPairs<kind>>(a, processors, stream);
  } else {
    cull_tiles<kind><<<static_cast<unsigned>(processors) * tile_blocks, tile, 0, stream>>>(a);
    launch_stages<kind, FromQueries<kind>>(a, processors, stream);
  }
}

template <QueryKind kind>
void gather(const TimesArrays& a, uint32_t count, double* corners, cudaStream_t stream) {
  if (a.pairs)
    gather_open<FromPairs<kind>><<<64, 128, 0, stream>>>(a, count, corners);
  else
    gather_open<FromQueries<kind>><<<64, 128, 0, stream>>>(a, count, corners);
}

}  // namespace

struct TimesSearch::Memory {
  MemoryUse use;
  Stream stream;
  bool has_begun = false;  // what does not depend on the queries is there
  bool counters_are_0 = false;
  int processors = 1, capability = 0;
  Array<Counter> counters;
  SharedArray<TimesReport> report;
  uint32_t call = 0;
  Array<uint32_t> lists;
  Array<FoundTime> found;
  Array<FloatCorner> corner;
  Array<MovingBox> boxes;
  Array<double> open_corners, open_times;
};

TimesSearch::TimesSearch() : memory_(std::make_unique<Memory>()) {}
TimesSearch::~TimesSearch() = default;

Fault TimesSearch::run(int device, const TimesQuestion& question, TimesResult& result) {
  // At most this many queries are answered at a time, which bounds the memory of the lists.
  constexpr uint64_t most = uint64_t{1} << 23;
  Memory& m = *memory_;
  result = {};
  GRAZE_TRY(cudaSetDevice(device), "choosing the device");
  if (question.count == 0) return {};
  const char* const what = "the queries";
  if (!m.has_begun) {
    GRAZE_PASS(m.stream.make());
    GRAZE_TRY(cudaDeviceGetAttribute(&m.processors, cudaDevAttrMultiProcessorCount, device),
              "reading its properties");
    GRAZE_TRY(cudaDeviceGetAttribute(&m.capability, cudaDevAttrComputeCapabilityMajor, device),
              "reading its properties");
    GRAZE_PASS(m.counters.resize(times_lists, m.use, what));
    GRAZE_PASS(m.report.make(1, what));
    m.has_begun = true;
  }
  const uint64_t part = std::min<uint64_t>(question.count, most);
  if (m.found.size() < part) {
    GRAZE_PASS(m.lists.resize(3 * part, m.use, what));
    GRAZE_PASS(m.found.resize(part, m.use, what));
  }
  const MeshView& mesh = question.mesh;
  const bool edges = question.kind == edge_edge_query;
  if (question.pairs) {
    const uint64_t boxes = mesh.vertices + uint64_t{edges ? mesh.edge_count : mesh.face_count};
    if (m.corner.size() < mesh.vertices) GRAZE_PASS(m.corner.resize(mesh.vertices, m.use, what));
    if (m.boxes.size() < boxes) GRAZE_PASS(m.boxes.resize(boxes, m.use, what));
  }
  if (question.stream) GRAZE_PASS(m.stream.wait_for(static_cast<cudaStream_t>(question.stream)));
  for (uint64_t first = 0; first < question.count; first += most) {
    TimesArrays a{};
    a.count = static_cast<uint32_t>(std::min(most, question.count - first));
    a.t_max = question.t_max;
    a.times = question.times + first;
    a.counter = m.counters.data();
    a.report = m.report.device();
    a.call = ++m.call;
    a.left = m.lists.data();
    a.deep = a.left + part;
    a.open = a.deep + part;
    a.found = m.found.data();
    a.queries = question.queries ? question.queries + 24 * first : nullptr;
    a.pairs = question.pairs ? reinterpret_cast<const uint2*>(question.pairs) + first : nullptr;
    a.mesh = mesh;
    a.corner = m.corner.data();
    a.vertex_box = m.boxes.data();
    a.feature_box = m.boxes.data() + mesh.vertices;
    a.frame = question.frame;
    a.early_launch = m.capability >= 9;
    if (!m.counters_are_0)
      GRAZE_TRY(cudaMemsetAsync(m.counters.data(), 0, times_lists * sizeof(Counter), m.stream),
                what);
    m.counters_are_0 = false;
    edges ? launch<edge_edge_query>(a, m.processors, m.stream)
          : launch<vertex_face_query>(a, m.processors, m.stream);
    GRAZE_TRY(cudaGetLastError(), "starting the queries");
    const volatile uint32_t* const done = &m.report->call;
    for (uint64_t spins = 0; *done != a.call; ++spins) {
      if (spins % 65536 != 65535) continue;  // a query of the stream takes some microseconds
      const cudaError_t state = cudaStreamQuery(m.stream);
      if (state == cudaErrorNotReady) continue;
      GRAZE_TRY(state, what);
      if (*done != a.call) return {FaultKind::failed, "the GPU ended a search without a report"};
    }
    std::atomic_thread_fence(std::memory_order_acquire);
    m.counters_are_0 = true;
    result.contacts += m.report->counter[contact_times];
    const auto open = static_cast<uint32_t>(m.report->counter[open_times]);
    if (open == 0) continue;
    GRAZE_PASS(m.open_corners.resize(24 * uint64_t{open}, m.use, what));
    GRAZE_PASS(m.open_times.resize(open, m.use, what));
    edges ? gather<edge_edge_query>(a, open, m.open_corners.data(), m.stream)
          : gather<vertex_face_query>(a, open, m.open_corners.data(), m.stream);
    std::vector<double> corners(24 * uint64_t{open}), times(open);
    GRAZE_TRY(cudaMemcpyAsync(corners.data(), m.open_corners.data(),
                              corners.size() * sizeof(double), cudaMemcpyDeviceToHost, m.stream),
              "copying queries");
    GRAZE_TRY(cudaStreamSynchronize(m.stream), "copying queries");
    result.contacts += question.answer_open(corners.data(), open, times.data());
    GRAZE_TRY(cudaMemcpyAsync(m.open_times.data(), times.data(), times.size() * sizeof(double),
                              cudaMemcpyHostToDevice, m.stream),
              "copying answers");
    scatter_times<<<64, 128, 0, m.stream>>>(a, open, m.open_times.data());
    GRAZE_TRY(cudaGetLastError(), "copying answers");
    GRAZE_TRY(cudaStreamSynchronize(m.stream), "copying answers");
  }
  return {};
}

}  // namespace graze::gpu::device

namespace graze::gpu {
namespace {

class CudaQueryEngine final : public QueryEngine {
 public:
  explicit CudaQueryEngine(int device) : device_(device) {}
  Fault times(const TimesQuestion& question, TimesResult& result) override {
    return search_.run(device_, question, result);
  }

 private:
  int device_;
  device::TimesSearch search_;
};

}  // namespace

Fault make_query_engine(int device, std::unique_ptr<QueryEngine>& engine) {
  GRAZE_TRY(cudaSetDevice(device), "choosing the device");
  engine = std::make_unique<CudaQueryEngine>(device);
  return {};
}

}  // namespace graze::gpu
