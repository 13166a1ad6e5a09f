#include "graze/gpu/kernels/stages.h"

namespace graze::gpu::device {
namespace {

__device__ inline uint32_t largest_of_warp(uint32_t x) {
  for (int step = 16; step > 0; step /= 2) x = max(x, __shfl_xor_sync(full_warp, x, step));
  return x;
}

constexpr uint32_t scan_size = 1024, scan_blocks = bucket_count / scan_size;

// Sets bucket_begin[i] to the number of contacts in the buckets before i of the same block, and
// block_sum[b] to the number in block b.
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
    a.slot[block_begin[bucket / scan_size] + a.bucket_begin[bucket] + a.rank[i]] = {
        a.records[i].impact.toi, static_cast<uint32_t>(i), bucket};
  }
}
__device__ inline bool comes_before(const ImpactRecord& p, const ImpactRecord& q) {
  if (p.kind != q.kind) return p.kind < q.kind;
  return p.a != q.a ? p.a < q.a : p.b < q.b;
}
// Sorts with one thread per slot; the slots of a bucket are adjacent.
template <bool to_host>
__global__ void sort_records(Arrays a) {
  __shared__ uint32_t block_begin[scan_blocks];
  begin_blocks(a, block_begin);
  const uint64_t count = a.control->most_in_bucket > largest_bucket ? 0 : length(a, record_list);
  for (uint64_t i = first_of_warp() + (threadIdx.x & 31); i < count; i += warp_stride()) {
    const Slot own = a.slot[i];
    const ImpactRecord record = a.records[own.record];
    const uint32_t begin = block_begin[own.bucket / scan_size] + a.bucket_begin[own.bucket];
    const uint32_t end = begin + a.bucket[own.bucket];
    uint32_t place = begin;
    for (uint32_t k = begin; k < end; ++k) {
      const Slot other = a.slot[k];
      place += other.toi < own.toi ||
               (other.toi == own.toi && k != i && comes_before(a.records[other.record], record));
    }
    a.sorted[place] = record;
    if (place == 0) a.control->first_toi = own.toi;
  }
  if (!to_host && is_last_block(a)) report(a);
}
// Writes the sorted contacts to the host; neighbouring threads write adjacent parts.
__global__ void copy_to_host(Arrays a) {
  const uint64_t count = length(a, record_list) * (sizeof(ImpactRecord) / sizeof(uint4));
  const uint4* const from = reinterpret_cast<const uint4*>(a.sorted);
  uint4* const to = reinterpret_cast<uint4*>(a.host_records);
  for (uint64_t i = first_of_warp() + (threadIdx.x & 31); i < count; i += warp_stride())
    to[i] = from[i];
  __threadfence_system();
  if (is_last_block(a)) report(a);
}

}  // namespace

void sort_contacts(const Launch& at, bool to_host) {
  scan_buckets<<<scan_blocks, scan_size, 0, at.stream>>>(at.a);
  fill_slots<<<at.filled(4), 128, 0, at.stream>>>(at.a);
  (to_host ? sort_records<true> : sort_records<false>)<<<at.filled(4), 128, 0, at.stream>>>(at.a);
  if (to_host) copy_to_host<<<at.filled(2), 128, 0, at.stream>>>(at.a);
}

}  // namespace graze::gpu::device
