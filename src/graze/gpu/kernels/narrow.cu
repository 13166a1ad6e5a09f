#include "graze/gpu/kernels/stages.h"

#include "graze/gpu/separating_direction.h"

namespace graze::gpu::device {
namespace {

// Drops the pairs that a direction keeps apart.
__global__ void drop_separated(Arrays a) {
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
      constexpr int split = edges ? 2 : 1;
      wanted = !corners.stays_apart() && filter_admits(a, corner, split, corner + split, 4 - split);
    }
    const List to = edges ? left_ee : left_vf;
    const uint64_t at = append(&a.control->count[to], wanted);
    if (wanted && at < a.capacity[to]) a.list[to][at] = pair;
  });
}

// Keeps the pairs whose swept boxes overlap, and writes their indices.
__global__ void drop_disjoint(Arrays a) {
  const double separation = a.control->now.separation;
  for_each_pair(a, met_vf, met_ee, [&](auto kind, bool wanted, uint64_t i) {
    constexpr QueryKind k = decltype(kind)::value;
    constexpr bool edges = k == edge_edge_query;
    uint2 ids = make_uint2(0, 0);
    if (wanted) {
      uint32_t corner[4];
      corners_of<k>(a, a.list[edges ? met_ee : met_vf][i], corner, ids.x, ids.y);
      constexpr int split = edges ? 2 : 1;
      wanted = filter_admits(a, corner, split, corner + split, 4 - split);
      for (int axis = 0; axis < 3 && wanted; ++axis) {
        double lo[2], hi[2];
        for (int c = 0; c < 4; ++c) {
          const VertexRecord& r = a.record[corner[c]];
          const int side = c >= (edges ? 2 : 1);
          const CoordinateBounds swept = widened(
              {fmin(r.start[axis], r.end[axis]), fmax(r.start[axis], r.end[axis])}, separation);
          const double least = swept.lo, most = swept.hi;
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

// Replaces the places of the pairs that are left by indices of the mesh.
__global__ void name_pairs(Arrays a) {
  for_each_pair(a, left_vf, left_ee, [&](auto kind, bool wanted, uint64_t i) {
    constexpr QueryKind k = decltype(kind)::value;
    if (!wanted) return;
    uint2& pair = a.list[k == edge_edge_query ? left_ee : left_vf][i];
    uint32_t corner[4];
    uint2 ids;
    corners_of<k>(a, pair, corner, ids.x, ids.y);
    pair = ids;
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

// Returns the end of the time in which a contact counts: that of the slab; if the first impact is
// wanted, at most the double after the best bound so far.
template <bool first>
__device__ inline double last_time(const Arrays& a) {
  const double until = a.control->now.until;
  if (!first) return until;
  const Counter best = *static_cast<volatile Counter*>(&a.control->best);
  return smaller(until, __longlong_as_double(static_cast<long long>(best + 1)));
}
// Writes a query to memory of the host, which answers it.
__device__ inline void leave_open(OpenQuery& to, uint32_t kind, uint32_t id_a, uint32_t id_b,
                                  OpenStage stage, double earliest, const MovingCorners& x) {
  to.kind = kind;
  to.a = id_a;
  to.b = id_b;
  to.stage = stage;
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

// Returns the number of queries of bracket_step that may become open queries.
__device__ inline uint64_t most_open(const Arrays& a) {
  return min(uint64_t{a.control->now.most_deep}, a.capacity[open_list]);
}

// Appends a query to the list of its stage: contacts to `found`, unknown ones to the next stage
// and, if the host may answer them at once, to the open queries. Whole warps of one kind call it.
template <bool first, bool deep, QueryKind k>
__device__ inline void sort_by_stage(const Arrays& a, Stage stage, uint2 pair, const Bracket& root,
                                     uint32_t id_a, uint32_t id_b, const MovingCorners& x) {
  constexpr bool edges = k == edge_edge_query;
  const bool contact = stage == Stage::contact, unknown = stage == Stage::unknown;
  if (first && contact) lower_best(a, root.hi);
  const List to = edges ? found_ee : found_vf;
  uint64_t at = append(&a.control->count[to], contact);
  if (contact && at < a.capacity[to]) a.found[edges][at] = {pair, root};
  if (deep) {
    at = append(&a.control->count[open_list], unknown);
    if (unknown && at < a.capacity[open_list])
      leave_open(a.open[at], k, id_a, id_b, OpenStage::integers, root.lo, x);
  } else {
    const List next = edges ? deep_ee : deep_vf;
    at = append(&a.control->count[next], unknown);
    if (unknown && at < a.capacity[next]) a.list[next][at] = pair;
    if (first || a.control->now.most_deep == 0) return;
    at = append(&a.control->count[open_list], unknown);
    if (unknown && at < most_open(a)) {
      MovingCorners corners;  // loaded once more: fewer registers than to keep them
      load<k>(a, pair, corners, id_a, id_b);
      leave_open(a.open[at], k, id_a, id_b, OpenStage::pieces, 0, corners);
    }
  }
}

// Reports the number of open queries to the host, if there are any and all are stored. Called by
// one thread of the last block.
__device__ inline bool tell_open(const Arrays& a, uint32_t Exchange::*count,
                                 uint32_t Exchange::*call) {
  const Counter open = __ldcg(&a.control->count[open_list]);
  if (open == 0 || open > a.capacity[open_list]) return false;
  __threadfence_system();
  a.exchange->*count = static_cast<uint32_t>(open);
  __threadfence_system();
  *const_cast<volatile uint32_t*>(&(a.exchange->*call)) = a.control->now.call;
  return true;
}

template <bool first>
__global__ void __launch_bounds__(128, 4) bracket_step(Arrays a) {
  for_each_pair(a, left_vf, left_ee, [&](auto kind, bool wanted, uint64_t i) {
    constexpr QueryKind k = decltype(kind)::value;
    constexpr bool edges = k == edge_edge_query;
    uint2 pair = make_uint2(0, 0);
    uint32_t id_a = 0, id_b = 0;
    Bracket root{0, 0, 0};
    Stage stage = Stage::miss;
    MovingCorners x;
    if (wanted) {
      pair = a.list[edges ? left_ee : left_vf][i];
      load<k>(a, pair, x, id_a, id_b);
      stage = !edges && id_b >= a.true_faces ? Stage::unknown
                                             : examine_step<k>(x, last_time<first>(a), root);
    }
    sort_by_stage<first, false, k>(a, stage, pair, root, id_a, id_b, x);
  });
  // A few queries reach the host before bracket_pieces could decide them.
  if (first || a.control->now.most_deep == 0 || !is_last_block(a, 3) || threadIdx.x > 0) return;
  if (__ldcg(&a.control->count[open_list]) <= most_open(a))
    a.control->deep_is_open = tell_open(a, &Exchange::left, &Exchange::left_call);
  if (!a.control->deep_is_open) a.control->count[open_list] = 0;
}

template <bool first>
__global__ void __launch_bounds__(128) bracket_pieces(Arrays a) {
  if (!first && a.control->deep_is_open) return;
  for_each_pair(a, deep_vf, deep_ee, [&](auto kind, bool wanted, uint64_t i) {
    constexpr QueryKind k = decltype(kind)::value;
    constexpr bool edges = k == edge_edge_query;
    uint2 pair = make_uint2(0, 0);
    uint32_t id_a = 0, id_b = 0;
    Bracket root{0, 0, 0};
    Stage stage = Stage::miss;
    MovingCorners x;
    if (wanted) {
      pair = a.list[edges ? deep_ee : deep_vf][i];
      load<k>(a, pair, x, id_a, id_b);
      stage = !edges && id_b >= a.true_faces ? Stage::unknown
                                             : examine_pieces<k>(x, last_time<first>(a), root);
    }
    sort_by_stage<first, true, k>(a, stage, pair, root, id_a, id_b, x);
  });
  if (!first && a.control->now.host_answers && is_last_block(a, 1) && threadIdx.x == 0)
    tell_open(a, &Exchange::left, &Exchange::left_call);
}

__device__ inline uint32_t bucket_of_time(double toi) {
  return min(static_cast<uint32_t>(toi * bucket_count), bucket_count - 1);
}

// Counts the contact with this index in the bucket of its time.
__device__ inline void count_in_bucket(const Arrays& a, uint64_t at, double toi) {
  const uint32_t bucket = bucket_of_time(toi);
  a.bucket_of[at] = bucket;
  a.rank[at] = atomicAdd(&a.bucket[bucket], 1u);
}

constexpr uint32_t record_parts = sizeof(ImpactRecord) / sizeof(uint4);
static_assert(record_parts * sizeof(uint4) == sizeof(ImpactRecord));

// Waits until the host has put contacts into Arrays::extra, and sets `count` to their number.
// Returns false if the host does not do so in time. The wait is bounded: under a debugger or a
// profiler the host may not run until the kernel has ended. Called by one thread.
__device__ inline bool wait_for_host(const Arrays& a, uint32_t& count) {
  constexpr uint64_t longest_wait = 50000000;  // nanoseconds
  const auto now = [] {
    uint64_t time;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(time));
    return time;
  };
  const volatile Exchange& host = *a.exchange;
  const uint32_t call = a.control->now.call;
  const uint64_t begin = now();
  uint64_t answer = host.extra;
  while (static_cast<uint32_t>(answer) != call && now() - begin < longest_wait) answer = host.extra;
  __threadfence_system();
  count = static_cast<uint32_t>(answer >> 32);
  return static_cast<uint32_t>(answer) == call;
}

// Copies contacts from Arrays::extra. Threads copy adjacent parts: every access to memory of the
// host has to be wide. Called by a block.
__device__ inline void copy_extra(const Arrays& a, ImpactRecord* to, uint64_t count) {
  const uint4* const from = reinterpret_cast<const uint4*>(a.extra);
#pragma unroll 4
  for (uint64_t i = threadIdx.x; i < record_parts * count; i += blockDim.x)
    reinterpret_cast<uint4*>(to)[i] = __ldcv(from + i);
}

// Waits for the contacts of the open queries that the host answers and adds them to the records.
// Called by the last block. If the host is late, it adds the contacts itself.
__device__ inline void take_extra(const Arrays& a) {
  __shared__ uint32_t extra;
  if (threadIdx.x == 0) {
    extra = 0;
    uint32_t count;
    if (tell_open(a, &Exchange::all_left, &Exchange::last_call) && wait_for_host(a, count)) {
      a.control->extra_taken = 1;
      extra = count;
    }
  }
  __syncthreads();
  const uint64_t begin = __ldcg(&a.control->count[record_list]);
  const uint64_t room = a.capacity[record_list] - min(begin, a.capacity[record_list]);
  const uint64_t stored = min(uint64_t{extra}, room);
  copy_extra(a, a.records + begin, stored);
  __syncthreads();
  for (uint64_t i = threadIdx.x; i < stored; i += blockDim.x)
    count_in_bucket(a, begin + i, __ldcg(&a.records[begin + i].impact.toi));
  __syncthreads();
  if (threadIdx.x == 0) a.control->count[record_list] = begin + extra;
}

// Waits for the contacts that the host has sorted and keeps them. The host copies them itself if it
// is late. Called by the last block.
__device__ inline void take_sorted(const Arrays& a) {
  __shared__ uint32_t count;
  __shared__ bool in_time;
  if (threadIdx.x == 0) in_time = wait_for_host(a, count);
  __syncthreads();
  if (!in_time) return;
  copy_extra(a, a.sorted, min(uint64_t{count}, a.capacity[record_list]));
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x == 0)
    *const_cast<volatile uint32_t*>(&a.exchange->stored_call) = a.control->now.call;
}

// Sorts the contacts, if there are few, and reports. Called by the last block.
__device__ inline void sort_few(const Arrays& a) {
  __shared__ double toi[few_contacts];
  __shared__ Counter pair[few_contacts];  // kind, a, b in 2 + 31 + 31 bits
  __shared__ uint32_t from[few_contacts];
  __threadfence();
  __syncthreads();
  const Counter all = __ldcg(&a.control->count[record_list]);
  const bool few = all <= few_contacts && all <= a.capacity[record_list];
  const uint32_t count = few ? static_cast<uint32_t>(all) : 0;
  for (uint32_t i = threadIdx.x; i < count; i += blockDim.x) {
    const ImpactRecord& r = a.records[i];
    toi[i] = __ldcg(&r.impact.toi);
    pair[i] = Counter{__ldcg(&r.kind)} << 62 | Counter{__ldcg(&r.a)} << 31 | __ldcg(&r.b);
  }
  __syncthreads();
  for (uint32_t i = threadIdx.x; i < count; i += blockDim.x) {
    const double own = toi[i];
    const Counter own_pair = pair[i];
    uint32_t place = 0;
    for (uint32_t k = 0; k < count; ++k)
      place += toi[k] < own || (toi[k] == own && pair[k] < own_pair);
    from[place] = i;
    if (place == 0) a.control->first_toi = own;
  }
  __syncthreads();
  const uint4* const records = reinterpret_cast<const uint4*>(a.records);
#pragma unroll 4
  for (uint32_t i = threadIdx.x; i < record_parts * count; i += blockDim.x) {
    const uint4 part = __ldcg(records + record_parts * from[i / record_parts] + i % record_parts);
    reinterpret_cast<uint4*>(a.sorted)[i] = part;
    reinterpret_cast<uint4*>(a.extra)[i] = part;
  }
  const Counter open = __ldcg(&a.control->count[open_list]);
  const bool waits = few && a.control->now.host_sorts && open > 0 && open <= a.capacity[open_list];
  if (threadIdx.x == 0) {
    a.control->few_sorted = few;
    a.control->waits = waits;
  }
  __threadfence_system();
  __syncthreads();
  report(a);
  if (waits) take_sorted(a);
}

// The work of the last block: it finds the first contact, takes the contacts of the host, or sorts
// few contacts.
enum class Times { first, all, few };
template <Times times>
__global__ void __launch_bounds__(128) tighten(Arrays a) {
  constexpr bool first = times == Times::first;
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
    if (open && at < a.capacity[open_list])
      leave_open(a.open[at], k, id_a, id_b, OpenStage::any, root.lo, x);
    at = append(&a.control->count[record_list], decided);
    if (decided && at < a.capacity[record_list]) {
      const ImpactRecord record = {edges, {0, 0, 0}, id_a,
                                   id_b,  0,         contact_body(toi, toi_hi, place)};
      a.records[at] = record;
      if (!first) count_in_bucket(a, at, toi);
    }
  });
  if (times == Times::all && !a.control->now.host_answers) return;
  if (!is_last_block(a, first ? 0 : 2)) return;
  if (times == Times::all) return take_extra(a);
  if (times == Times::few) return sort_few(a);
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
  // The first edge that pierces a face, and the face.
  const Counter pierced = __ldcg(&a.control->pierced);
  if (pierced != ~Counter{0} && threadIdx.x >= 32 && threadIdx.x < 47) {
    const uint32_t i = threadIdx.x - 32, corner = i / 3;
    const uint32_t vertex = corner < 2 ? a.mesh_edges[2 * (pierced >> 32) + corner]
                                       : a.mesh_faces[3 * (pierced & 0xffffffffu) + corner - 2];
    a.control->pierced_corners[i] = a.control->now.start[3 * uint64_t{vertex} + i % 3];
  }
  __threadfence();
  __syncthreads();
  report(a);
}

}  // namespace

void try_directions(const Launch& at) {
  drop_separated<<<at.filled(8), 128, 0, at.stream>>>(at.a);
}
void keep_overlapping(const Launch& at) {
  drop_disjoint<<<at.filled(8), 128, 0, at.stream>>>(at.a);
}
void name_candidates(const Launch& at) {
  name_pairs<<<at.filled(4), 128, 0, at.stream>>>(at.a);
}
void find_roots(const Launch& at, bool first) {
  (first ? bracket_step<true> : bracket_step<false>)<<<at.filled(4), 128, 0, at.stream>>>(at.a);
  (first ? bracket_pieces<true> : bracket_pieces<false>)<<<at.filled(2), 128, 0, at.stream>>>(at.a);
}
void find_times(const Launch& at, bool first) {
  (first ? tighten<Times::first> : tighten<Times::all>)<<<at.filled(2), 128, 0, at.stream>>>(at.a);
}
void find_few_times(const Launch& at) {
  tighten<Times::few><<<at.filled(2), 128, 0, at.stream>>>(at.a);
}

}  // namespace graze::gpu::device
