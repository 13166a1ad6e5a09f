#pragma once

#include "graze/gpu/kernels/arrays.h"

// The features of two leaves in shared memory, for tests of all pairs.
namespace graze::gpu::device {

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
// Returns whether a feature with `count` corners, one or two, shares a vertex with another one that
// has `others`, two or three.
template <int count, int others>
__device__ inline bool share_vertex(const Row& a, const Row& b) {
  const uint32_t p[2] = {a.word[1].w, count > 1 ? a.word[2].x : 0},
                 q[3] = {b.word[1].w, b.word[2].x, others > 2 ? b.word[2].y : 0};
  bool share = false;
  for (int i = 0; i < count; ++i)
    for (int j = 0; j < others; ++j) share = share || p[i] == q[j];
  return share;
}

// k / n = k * inverse_of[n] >> 16 for 0 <= k n < 65536 and 0 < n <= 16: inverse_of[n] = 65536 / n
// + 1.
__constant__ int inverse_of[leaf_size + 1] = {0,     65537, 32769, 21846, 16385, 13108,
                                              10923, 9363,  8193,  7282,  6554,  5958,
                                              5462,  5042,  4682,  4370,  4097};

// The features of two packet pairs, one per half-warp, that overlap the box of the other leaf.
struct PacketRows {
  Row row[2][leaf_size], column[2][leaf_size];
};
// Returns the place of the feature of this lane among those of its half-warp in the mask.
__device__ inline int place_in_half(unsigned mask) {
  const int lane = threadIdx.x & 31, half = lane / leaf_size;
  return __popc(mask >> (half * leaf_size) & ((1u << (lane & (leaf_size - 1))) - 1));
}

// Calls body(wanted, half, row, column) for every row and column of the same half. Whole warps call
// it. The masks have a bit for every lane that has stored a row and a column. Where `wanted` is
// false, row and column must not be read.
template <class Body>
__device__ inline void for_all_rows(const PacketRows& rows, unsigned row_mask, unsigned column_mask,
                                    Body&& body) {
  const int wide_0 = __popc(column_mask & 0xffffu), wide_1 = __popc(column_mask >> 16);
  const int all_0 = __popc(row_mask & 0xffffu) * wide_0;
  const int all = all_0 + __popc(row_mask >> 16) * wide_1;
  const int inverse_0 = inverse_of[wide_0], inverse_1 = inverse_of[wide_1];
  for (int base = 0; base < all; base += 32) {
    const int k = base + (threadIdx.x & 31);
    const int half = k >= all_0;
    const int index = half ? k - all_0 : k;
    const int r = index * (half ? inverse_1 : inverse_0) >> 16;
    const int c = index - r * (half ? wide_1 : wide_0);
    body(k < all, half, rows.row[half][r], rows.column[half][c]);
  }
}

}  // namespace graze::gpu::device
