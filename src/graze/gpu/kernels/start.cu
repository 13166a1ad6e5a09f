#include "graze/gpu/kernels/stages.h"
#include "graze/gpu/start_side.h"

namespace graze::gpu::device {
namespace {

// Returns whether the first edge that pierced a face in the search before does so now.
__device__ inline bool pierces_again(const Arrays& a, Counter pair) {
  const uint64_t edge = pair >> 32, face = pair & 0xffffffffu;
  if (edge >= a.edges || face >= a.true_faces) return false;
  const uint32_t corner[5] = {a.mesh_edges[2 * edge], a.mesh_edges[2 * edge + 1],
                              a.mesh_faces[3 * face], a.mesh_faces[3 * face + 1],
                              a.mesh_faces[3 * face + 2]};
  for (int i = 0; i < 2; ++i)
    for (int j = 2; j < 5; ++j)
      if (corner[i] == corner[j]) return false;
  if (a.filter.active && !admits(a.filter, corner, 2, corner + 2, 3)) return false;
  Vec at[5];
  for (int c = 0; c < 5; ++c) {
    const double* const x = a.control->now.start + 3 * uint64_t{corner[c]};
    at[c] = {x[0], x[1], x[2]};
  }
  return pierces(at[0], at[1], at[2], at[3], at[4]) == Piercing::yes;
}

__global__ void start_search(Arrays a, bool pierced) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  for (uint32_t k = i; k < bucket_count; k += gridDim.x * blockDim.x) a.bucket[k] = 0;
  if (i < list_count) a.control->count[i] = 0;
  if (i == 0) {
    a.control->now = *a.parameters;
    a.control->best = 0x4000000000000000ull;  // 2
    a.control->last_pierced = a.control->pierced;
    a.control->winner = a.control->pierced = ~0ull;
    a.control->not_finite = a.control->most_in_bucket = a.control->extra_taken = 0;
    for (uint32_t& finished : a.control->finished_blocks) finished = 0;
    a.control->start_differs[0] = a.control->start_differs[1] = a.control->static_moves = 0;
    a.control->deep_is_open = a.control->few_sorted = a.control->waits = 0;
    a.control->motion_sum = 0;
    // Often this pair still bounds the first one.
    if (pierced && pierces_again(a, a.control->last_pierced))
      a.control->pierced = a.control->last_pierced;
  }
}

}  // namespace

void start(const Launch& at, bool pierced) {
  start_search<<<bucket_count / 1024, 256, 0, at.stream>>>(at.a, pierced);
}

}  // namespace graze::gpu::device
