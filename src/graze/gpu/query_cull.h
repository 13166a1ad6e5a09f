#pragma once

#include "graze/gpu/certified_roots.h"
#include "graze/gpu/moving_codes.h"
#include "graze/gpu/separating_direction.h"

// Proofs that a single query has no contact, from its 24 doubles: by the order of the upper halves
// of the doubles along the axes, then by directions in floats.
namespace graze::gpu {

// Returns an integer that is a non-decreasing function of x: the upper half of the double, with the
// order of negative numbers reversed. So a strict order of codes proves that of the numbers.
// Numbers that are not finite have codes of at least not_finite or at most ~not_finite.
constexpr std::int32_t not_finite = 0x7ff00000;
GRAZE_HD inline std::int32_t upper_half(double x) {
#ifdef __CUDA_ARCH__
  return __double2hiint(x);
#else
  std::int64_t bits;
  __builtin_memcpy(&bits, &x, sizeof(bits));
  return static_cast<std::int32_t>(bits >> 32);
#endif
}
GRAZE_HD inline std::int32_t order_code(std::int32_t upper) {
  return upper ^ ((upper >> 31) & 0x7fffffff);
}
GRAZE_HD inline std::int32_t least(std::int32_t a, std::int32_t b) {
  return b < a ? b : a;
}
GRAZE_HD inline std::int32_t most(std::int32_t a, std::int32_t b) {
  return a < b ? b : a;
}

enum class Cull : std::uint8_t { invalid, apart, open };

// Tests the axes. `x`: the coordinates of a query, in the layout of graze::VertexFace or
// graze::EdgeEdge. A query with a coordinate that is not finite is invalid. If along an axis one
// primitive is ahead of the other at the start and at the end, they stay apart: corners move on
// straight lines, so also during a part of the step.
template <QueryKind kind>
GRAZE_HD inline Cull cull_by_axes(const double* x) {
  constexpr int split = kind == edge_edge_query ? 2 : 1;
  std::int32_t lowest = 0, highest = 0;
  bool apart = false;
  for (int axis = 0; axis < 3; ++axis) {
    bool above = true, below = true;
    for (int time = 0; time < 2; ++time) {
      std::int32_t lo[2], hi[2];
      for (int c = 0; c < 4; ++c) {
        const std::int32_t code = order_code(upper_half(x[12 * time + 3 * c + axis]));
        const int side = c >= split;
        const bool first = c == 0 || c == split;
        lo[side] = first ? code : least(lo[side], code);
        hi[side] = first ? code : most(hi[side], code);
      }
      lowest = least(lowest, least(lo[0], lo[1]));
      highest = most(highest, most(hi[0], hi[1]));
      above = above && lo[1] > hi[0];
      below = below && lo[0] > hi[1];
    }
    apart = apart || above || below;
  }
  if (highest >= not_finite || lowest <= ~not_finite) return Cull::invalid;
  return apart ? Cull::apart : Cull::open;
}

// Returns whether a direction keeps the primitives of a finite query apart during [0, t_max]. The
// floats are relative to the first corner: a frame of its own for each query (moving_codes.h).
template <QueryKind kind>
GRAZE_HD inline bool stays_apart_in_floats(const double* x, double t_max) {
  const Frame frame{{x[0], x[1], x[2]}, 1, 1};
  FloatPair<kind> floats;
  for (int c = 0; c < 4; ++c) {
    FloatCorner corner;
    MovingBox codes;
    place_vertex(frame, x + 3 * c, x + 12 + 3 * c, 0, t_max, 0, corner, codes);
    floats.set(c, corner);
  }
  return floats.stays_apart();
}

}  // namespace graze::gpu
