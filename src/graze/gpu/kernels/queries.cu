#include "graze/gpu/engine.h"
#include "graze/gpu/kernels/arrays.h"
#include "graze/gpu/kernels/memory.h"

namespace graze::gpu {
namespace {

using namespace device;

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
                     double t_max, ImpactBody* impacts, std::vector<uint64_t>& open) {
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
  GRAZE_PASS(query_memory.resize(24 * part, use, what));
  GRAZE_PASS(impact_memory.resize(part, use, what));
  int processors = 1;
  GRAZE_TRY(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device),
            "reading its properties");
  for (std::size_t first = 0; first < count; first += most) {
    const std::size_t size = std::min(most, count - first);
    QueryArrays a{};
    a.queries = query_memory.data();
    a.impacts = impact_memory.data();
    a.count = static_cast<uint32_t>(size);
    a.t_max = t_max;
    a.counter = counters.data();
    a.left = lists.data();
    a.deep = lists.data() + part;
    a.found = found.data();
    a.root = roots.data();
    a.open = lists.data() + 2 * part;
    GRAZE_TRY(cudaMemcpyAsync(query_memory.data(), queries + 24 * first, 24 * size * sizeof(double),
                              cudaMemcpyHostToDevice, stream),
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

}  // namespace graze::gpu
