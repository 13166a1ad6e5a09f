#pragma once

#include "graze/core/numeric/strict_arithmetic.h"
#include "graze/gpu/certified_roots.h"
#include "graze/gpu/moving_codes.h"

// The search for a direction along which two moving features stay apart, for one pair: the search
// of broad/moving/separating_direction-inl.h, in its order of operations. A proof by a direction
// does not depend on how it was found.
namespace graze::gpu {

struct FloatVec {
  float x, y, z;
};
// Returns a * b + c, rounded once on the device: a proof holds with fewer roundings, too, and the
// direction found may differ.
GRAZE_HD inline float multiply_add(float a, float b, float c) {
#ifdef __CUDA_ARCH__
  return fmaf(a, b, c);
#else
  return a * b + c;
#endif
}
GRAZE_HD inline FloatVec operator+(const FloatVec& a, const FloatVec& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
GRAZE_HD inline FloatVec operator-(const FloatVec& a, const FloatVec& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
GRAZE_HD inline FloatVec operator*(float s, const FloatVec& a) {
  return {s * a.x, s * a.y, s * a.z};
}
GRAZE_HD inline float dot(const FloatVec& a, const FloatVec& b) {
  return multiply_add(a.z, b.z, multiply_add(a.y, b.y, a.x * b.x));
}
GRAZE_HD inline FloatVec cross(const FloatVec& a, const FloatVec& b) {
  return {multiply_add(a.y, b.z, -(a.z * b.y)), multiply_add(a.z, b.x, -(a.x * b.z)),
          multiply_add(a.x, b.y, -(a.y * b.x))};
}
// Returns a + s * b.
GRAZE_HD inline FloatVec plus_multiple(const FloatVec& a, float s, const FloatVec& b) {
  return {multiply_add(s, b.x, a.x), multiply_add(s, b.y, a.y), multiply_add(s, b.z, a.z)};
}
GRAZE_HD inline float sum_of_sizes(const FloatVec& a) {
  return fabsf(a.x) + fabsf(a.y) + fabsf(a.z);
}

// The four corners of a pair at both ends of the slab, in floats.
template <QueryKind kind>
class FloatPair {
 public:
  static constexpr int split = kind == edge_edge_query ? 2 : 1;

  GRAZE_HD void set(int corner, const FloatCorner& c) {
    at_[0][corner] = {c.at[0], c.at[1], c.at[2]};
    at_[1][corner] = {c.at[4], c.at[5], c.at[6]};
    const float slack = c.at[3] < c.at[7] ? c.at[7] : c.at[3];
    slack_ = corner == 0 || slack_ < slack ? slack : slack_;
  }

  // Returns whether one of four directions proves that the features stay apart.
  GRAZE_HD bool stays_apart() const {
    FloatVec n = middle(split, 4) - middle(0, split);
    Worst last = worst_along(n);
    if (is_proof(n, last)) return true;
    n = plus_multiple(dot(last.at, last.at) * n, -(1.01f * last.along), last.at);
    float last_length = sqrtf(dot(last.at, last.at));
    for (int tried = 2;; ++tried) {
      const Worst worst = worst_along(n);
      if (is_proof(n, worst)) return true;
      if (tried == 4) return false;
      const float length = sqrtf(dot(worst.at, worst.at));
      FloatVec normal = cross(last.at, worst.at);
      if (dot(normal, n) < 0.0f) normal = cross(worst.at, last.at);
      n = plus_multiple((last_length * length) * normal, 0.005f * sum_of_sizes(normal),
                        plus_multiple(length * last.at, last_length, worst.at));
      last = worst;
      last_length = length;
    }
  }

 private:
  struct Worst {
    FloatVec at;
    float along;
  };

  GRAZE_HD FloatVec middle(int first, int last) const {
    FloatVec sum = at_[0][first] + at_[1][first];
    for (int c = 1; c < 4; ++c)
      if (c > first && c < last) sum = sum + (at_[0][c] + at_[1][c]);
    return (0.5f / static_cast<float>(last - first)) * sum;
  }
  GRAZE_HD Worst worst_along(const FloatVec& n) const {
    Worst result[2];
    for (int end = 0; end < 2; ++end) {
      FloatVec low = at_[end][split], high = at_[end][0];
      float least = dot(n, low), most = dot(n, high);
      for (int c = 1; c < 4; ++c) {
        if (c == split) continue;
        const float along = dot(n, at_[end][c]);
        if (c > split) {
          if (along < least) {
            least = along;
            low = at_[end][c];
          }
        } else if (along > most) {
          most = along;
          high = at_[end][c];
        }
      }
      result[end] = {low - high, least - most};
    }
    return result[0].along < result[1].along ? result[0] : result[1];
  }
  GRAZE_HD bool is_proof(const FloatVec& n, const Worst& worst) const {
    return worst.along > sum_of_sizes(n) * slack_ + 0x1p-120f;
  }

  FloatVec at_[2][4];
  float slack_ = 0;
};

}  // namespace graze::gpu
