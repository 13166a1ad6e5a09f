#pragma once

#include <math.h>

#include <cstdint>

#include "graze/core/numeric/strict_arithmetic.h"
#include "graze/gpu/device_code.h"

// Positions at both ends of a slab of time as floats and as integers of 15 bits, boxes of these
// integers, and the test whether two moving boxes stay apart.
//
// Every map from a coordinate to a float and from there to a code is non-decreasing: subtracting a
// constant, multiplying by a positive one, rounding, clamping and truncating never reverse an
// order. So a lower code above an upper code proves the order of the exact coordinates without any
// error bound, for every frame, also for one of other positions. The frame changes the time of a
// search, never its answer.
namespace graze::gpu {

struct Frame {
  double middle[3];
  double scale;      // of floats: a power of two
  float code_scale;  // codes per unit of the floats, > 0
};

inline constexpr int code_bits = 15;
inline constexpr std::uint32_t guard_bits = 0x80008000u, begin_guard = 0x8000u;

// x, y, z and the slack at the start of the slab, then at its end (broad/moving/moving_bounds.h).
struct alignas(32) FloatCorner {
  float at[8];
};

// Codes of a vertex or box: for each axis the lower codes at the start (low half) and at the end
// (high half), and the upper codes with a guard bit above each.
struct alignas(8) MovingBox {
  std::uint32_t lo[3], hi[3];
};

GRAZE_HD inline float to_float(const Frame& frame, int axis, double x) {
  constexpr double most = 3.4028234663852886e38;
  double y = (x - frame.middle[axis]) * frame.scale;
  y = y < -most ? -most : most < y ? most : y;
  return static_cast<float>(y);
}
GRAZE_HD inline std::uint32_t code_of(const Frame& frame, float x) {
  float y = x * frame.code_scale + 16384.0f;
  // NaN becomes 0.
  y = y > 0.0f ? y : 0.0f;
  y = y < 32767.0f ? y : 32767.0f;
  return static_cast<std::uint32_t>(y);
}

// Bounds of a coordinate at time t, as broad::bounds_at() computes and proves them.
struct CoordinateBounds {
  double lo, hi;
};
GRAZE_HD inline CoordinateBounds coordinate_at(double start, double end, double t) {
  if (t == 0) return {start, start};
  if (t == 1) return {end, end};
  const double least = end < start ? end : start, most = end < start ? start : end;
  double x = (1 - t) * start + t * end;
  x = x < least ? least : most < x ? most : x;
  const double a = fabs(start), b = fabs(end);
  const double err = 0x1p-50 * (a < b ? b : a) + 0x1p-1072;
  const double lo = x - err, hi = x + err;
  return {least < lo ? lo : least, hi < most ? hi : most};
}

// Returns the bounds widened by half the separation, as swept_interval() does it.
GRAZE_HD inline CoordinateBounds widened(const CoordinateBounds& bounds, double separation) {
  if (separation == 0) return bounds;
  constexpr double inf = HUGE_VAL;
  return {nextafter(bounds.lo - separation / 2, -inf), nextafter(bounds.hi + separation / 2, inf)};
}

// Computes the bounds of a vertex that moves from `start` to `end`, at both ends of a slab, widened
// by half the separation. Two points whose widened cubes lie apart along a direction n,
// n.b - n.a > d |n|_1 for a separation d, are further apart than d in the maximum norm and in the
// Euclidean norm.
GRAZE_HD inline void place_vertex(const Frame& frame, const double* start, const double* end,
                                  double begin_time, double end_time, double separation,
                                  FloatCorner& corner, MovingBox& codes) {
  for (int k = 0; k < 3; ++k) codes.lo[k] = codes.hi[k] = 0;
  for (int side = 0; side < 2; ++side) {
    const double t = side == 0 ? begin_time : end_time;
    float width = 0, reach = 0;
    for (int k = 0; k < 3; ++k) {
      const CoordinateBounds bounds = widened(coordinate_at(start[k], end[k], t), separation);
      const float lower = to_float(frame, k, bounds.lo), upper = to_float(frame, k, bounds.hi);
      corner.at[4 * side + k] = lower;
      const float apart = upper - lower, a = fabsf(lower), b = fabsf(upper);
      width = width < apart ? apart : width;
      reach = reach < a ? a : reach;
      reach = reach < b ? b : reach;
      codes.lo[k] |= code_of(frame, lower) << (16 * side);
      codes.hi[k] |= (code_of(frame, upper) | 0x8000u) << (16 * side);
    }
    // Derived at slack() in broad/moving/moving_bounds.cpp.
    corner.at[4 * side + 3] =
        reach < 0x1p20f ? 2.001f * width + 0x1p-19f * reach + 0x1p-100f : 1e30f * 1e30f;
  }
}

GRAZE_HD inline std::uint32_t min_halves(std::uint32_t a, std::uint32_t b) {
#ifdef __CUDA_ARCH__
  return __vminu2(a, b);
#else
  const std::uint32_t low = (a & 0xffffu) < (b & 0xffffu) ? a & 0xffffu : b & 0xffffu;
  const std::uint32_t high = a >> 16 < b >> 16 ? a >> 16 : b >> 16;
  return low | high << 16;
#endif
}
GRAZE_HD inline std::uint32_t max_halves(std::uint32_t a, std::uint32_t b) {
#ifdef __CUDA_ARCH__
  return __vmaxu2(a, b);
#else
  const std::uint32_t low = (a & 0xffffu) > (b & 0xffffu) ? a & 0xffffu : b & 0xffffu;
  const std::uint32_t high = a >> 16 > b >> 16 ? a >> 16 : b >> 16;
  return low | high << 16;
#endif
}

GRAZE_HD inline MovingBox empty_box() {
  return {{0xffffffffu, 0xffffffffu, 0xffffffffu}, {0, 0, 0}};
}
GRAZE_HD inline void extend(MovingBox& box, const MovingBox& other) {
  for (int k = 0; k < 3; ++k) {
    box.lo[k] = min_halves(box.lo[k], other.lo[k]);
    box.hi[k] = max_halves(box.hi[k], other.hi[k]);
  }
}

// Returns whether along some axis one box is ahead of the other at both ends of the slab, so that
// nothing in them meets: every corner moves on a straight line.
//
// A half of hi - lo is 0x8000 + (upper - lower). Its highest bit is set if and only if upper >=
// lower, and it is positive, so no half borrows from the other. Thus the masked difference is 0 if
// and only if lower > upper at both ends. An empty box has lower codes of 0xffff and upper codes
// without guard; it is never compared.
//
// With guards = begin_guard, returns whether one box is ahead at the start of the slab.
template <std::uint32_t guards = guard_bits>
GRAZE_HD inline bool stay_apart(const MovingBox& a, const MovingBox& b) {
  bool apart = false;
  for (int k = 0; k < 3; ++k)
    apart = apart || ((a.hi[k] - b.lo[k]) & guards) == 0 || ((b.hi[k] - a.lo[k]) & guards) == 0;
  return apart;
}

// Returns the bits per axis of the cells of the curve below. With more bits the sort needs one more
// pass, which is worthwhile if many features share a cell.
GRAZE_HD inline int curve_bits(std::uint64_t vertices) {
  return vertices < 300000 ? 8 : 10;
}

// Returns the index along a Hilbert curve of 2^(3 bits) cells of the middle of a box
// [Skilling 2004, Programming the Hilbert curve].
GRAZE_HD inline std::uint32_t curve_code(const MovingBox& box, int bits) {
  std::uint32_t x[3];
  for (int k = 0; k < 3; ++k) {
    const std::uint32_t sum = (box.lo[k] & 0x7fffu) + (box.lo[k] >> 16 & 0x7fffu) +
                              (box.hi[k] & 0x7fffu) + (box.hi[k] >> 16 & 0x7fffu);
    x[k] = sum >> (2 + code_bits - bits);
  }
  for (std::uint32_t q = 1u << (bits - 1); q > 1; q >>= 1) {
    const std::uint32_t p = q - 1;
    for (int k = 0; k < 3; ++k) {
      if (x[k] & q) {
        x[0] ^= p;
      } else {
        const std::uint32_t t = (x[0] ^ x[k]) & p;
        x[0] ^= t;
        x[k] ^= t;
      }
    }
  }
  x[1] ^= x[0];
  x[2] ^= x[1];
  std::uint32_t t = 0;
  for (std::uint32_t q = 1u << (bits - 1); q > 1; q >>= 1)
    if (x[2] & q) t ^= q - 1;
  std::uint32_t code = 0;
  for (int bit = bits - 1; bit >= 0; --bit)
    for (int k = 0; k < 3; ++k) code = code << 1 | ((x[k] ^ t) >> bit & 1u);
  return code;
}

// Makes the frame of sorted samples of the positions: middle[k] is the median of axis k, reach the
// largest median distance from it, and extent the largest distance of a sample from it.
GRAZE_HD inline Frame make_frame(const double* middle, double reach, double extent) {
  Frame frame;
  for (int k = 0; k < 3; ++k) frame.middle[k] = middle[k];
  int exponent = reach > 0 && reach < 0x1p1020 ? -ilogb(reach) : 0;
  if (exponent > 1000) exponent = 1000;
  frame.scale = ldexp(1.0, exponent);
  // Codes are clamped beyond 64 times the reach, so that a few far vertices do not use them up.
  double most = extent * 1.05;
  if (!(most < 64 * reach)) most = 64 * reach;
  const double width = most * frame.scale;
  frame.code_scale = width > 0x1p-20 && width < 0x1p40 ? static_cast<float>(16384 / width) : 1.0f;
  return frame;
}

}  // namespace graze::gpu
