// Search for a direction that keeps two moving features apart, for many pairs at a time. Compiled
// once for every SIMD target.

#if defined(GRAZE_BROAD_SEPARATING_DIRECTION_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GRAZE_BROAD_SEPARATING_DIRECTION_INL_H_
#undef GRAZE_BROAD_SEPARATING_DIRECTION_INL_H_
#else
#define GRAZE_BROAD_SEPARATING_DIRECTION_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <array>

#include "graze/broad/tree/packed_tree-inl.h"
#include "graze/core/numeric/strict_arithmetic.h"

HWY_BEFORE_NAMESPACE();
namespace graze::broad::tree::HWY_NAMESPACE {

using Floats = hn::RebindToFloat<Ids>;
using Many = hn::Vec<Floats>;

// One 3-vector per lane.
struct Vectors {
  Many x, y, z;

  friend HWY_INLINE Vectors operator+(const Vectors& a, const Vectors& b) {
    return {hn::Add(a.x, b.x), hn::Add(a.y, b.y), hn::Add(a.z, b.z)};
  }
  friend HWY_INLINE Vectors operator-(const Vectors& a, const Vectors& b) {
    return {hn::Sub(a.x, b.x), hn::Sub(a.y, b.y), hn::Sub(a.z, b.z)};
  }
  friend HWY_INLINE Vectors operator*(Many s, const Vectors& a) {
    return {hn::Mul(s, a.x), hn::Mul(s, a.y), hn::Mul(s, a.z)};
  }
  friend HWY_INLINE Vectors select(hn::Mask<Floats> c, const Vectors& a, const Vectors& b) {
    return {hn::IfThenElse(c, a.x, b.x), hn::IfThenElse(c, a.y, b.y), hn::IfThenElse(c, a.z, b.z)};
  }
};
HWY_INLINE Many dot(const Vectors& a, const Vectors& b) {
  return hn::Add(hn::Add(hn::Mul(a.x, b.x), hn::Mul(a.y, b.y)), hn::Mul(a.z, b.z));
}
HWY_INLINE Vectors cross(const Vectors& a, const Vectors& b) {
  return {hn::Sub(hn::Mul(a.y, b.z), hn::Mul(a.z, b.y)),
          hn::Sub(hn::Mul(a.z, b.x), hn::Mul(a.x, b.z)),
          hn::Sub(hn::Mul(a.x, b.y), hn::Mul(a.y, b.x))};
}
HWY_INLINE Many sum_of_sizes(const Vectors& a) {
  return hn::Add(hn::Add(hn::Abs(a.x), hn::Abs(a.y)), hn::Abs(a.z));
}

// One pair of moving features per lane, and the search for a direction n along which the second
// feature lies beyond the first in every frame: n.w > 0 for each difference w of a corner of the
// second and a corner of the first. The proof by a given n does not depend on how n was found (see
// `slack` in moving_bounds.cpp), so the search is a heuristic. It tests four directions, or fewer
// if they prove all pairs:
// - from the middle of the first feature to the middle of the second; let w1 be the w with the
//   smallest n.w;
// - the same direction, turned just far enough that n.w1 > 0; let w2 be the w with the smallest
//   n.w;
// - the normal of w1 and w2, turned a little towards both; and the same with w2 and the next w.
// A frame is a time at which the corners are given; features at rest have one. On curves the frames
// are the control points: the difference w at a time is a convex combination of those of the
// frames, so n.w > 0 there too. The reason: a plane with all w on one side can be turned until it
// touches two of them, which are likely the last two w.
template <std::size_t corners_a, std::size_t corners_b, std::size_t frames = 2>
class MovingPairs {
 public:
  // Sets the corners of pair i: x, y, z and the slack in each frame, from the start of the slab to
  // its end.
  HWY_INLINE void set(std::size_t i, const std::array<const float*, corners_a>& a,
                      const std::array<const float*, corners_b>& b) {
    for (std::size_t c = 0; c < corners_a + corners_b; ++c)
      for (std::size_t frame = 0; frame < frames; ++frame) {
        const float* const from = c < corners_a ? a[c] : b[c - corners_a];
        std::copy_n(from + 4 * frame, 4, corners_[frame][c][i]);
      }
  }

  // Prepares the tests below, after all pairs are set.
  HWY_INLINE void load() {
    const Floats d;
    slack_ = hn::Zero(d);
    for (std::size_t frame = 0; frame < frames; ++frame)
      for (std::size_t c = 0; c < corners_a + corners_b; ++c) {
        Vectors& corner = c < corners_a ? a_[frame][c] : b_[frame][c - corners_a];
        Many slack;
        hn::LoadInterleaved4(d, corners_[frame][c][0], corner.x, corner.y, corner.z, slack);
        slack_ = hn::Max(slack_, slack);
      }
  }

  // Returns a mask whose bit i is set unless the boxes of pair i at the start of the slab, without
  // the separation, are apart. A lower bound is a non-decreasing function of the exact coordinate
  // (MovingBounds), so a gap between lower bounds is a gap between exact coordinates.
  HWY_INLINE unsigned overlap_at_begin() const {
    return bits_at(hn::And(hn::And(overlap_along(&Vectors::x), overlap_along(&Vectors::y)),
                           overlap_along(&Vectors::z)),
                   0);
  }

  // For a vertex and a face: returns a mask whose bit i is set if the vertex lies in the box of a
  // side of the face at the start of the slab, by their lower bounds.
  HWY_INLINE unsigned in_box_of_side() const {
    static_assert(corners_a == 1 && corners_b == 3);
    hn::Mask<Floats> result = hn::FirstN(Floats(), 0);
    for (std::size_t c = 0; c < 3; ++c) {
      const Vectors &p = a_[0][0], &q = b_[0][c], &r = b_[0][(c + 1) % 3];
      result = hn::Or(result, hn::And(hn::And(is_between(p.x, q.x, r.x), is_between(p.y, q.y, r.y)),
                                      is_between(p.z, q.z, r.z)));
    }
    return bits_at(result, 0);
  }

  // Returns a mask whose bit i is set if pair i is proven to stay apart.
  HWY_INLINE unsigned apart() const {
    const Floats d;
    Vectors n = from_middle_to_middle();
    Worst last = worst_along(n);
    auto proved = is_proof(n, last);
    n = dot(last.at, last.at) * n - hn::Mul(hn::Set(d, 1.01f), last.along) * last.at;
    Many last_length = hn::Sqrt(dot(last.at, last.at));
    for (int tried = 2;; ++tried) {
      const Worst worst = worst_along(n);
      proved = hn::Or(proved, is_proof(n, worst));
      if (tried == 4 || hn::AllTrue(d, proved)) return bits_at(proved, 0);
      const Many length = hn::Sqrt(dot(worst.at, worst.at));
      Vectors normal = cross(last.at, worst.at);
      normal = select(hn::Lt(dot(normal, n), hn::Zero(d)), cross(worst.at, last.at), normal);
      n = hn::Mul(last_length, length) * normal +
          hn::Mul(hn::Set(d, 0.005f), sum_of_sizes(normal)) *
              (length * last.at + last_length * worst.at);
      last = worst;
      last_length = length;
    }
  }

 private:
  struct Worst {  // the w with the smallest n.w, and that n.w
    Vectors at;
    Many along;
  };

  static HWY_INLINE hn::Mask<Floats> is_between(Many x, Many a, Many b) {
    return hn::And(hn::Le(hn::Min(a, b), x), hn::Le(x, hn::Max(a, b)));
  }
  HWY_INLINE hn::Mask<Floats> overlap_along(Many Vectors::*axis) const {
    Many least[2], most[2];
    least[0] = most[0] = a_[0][0].*axis;
    least[1] = most[1] = b_[0][0].*axis;
    for (std::size_t c = 1; c < corners_a; ++c) {
      least[0] = hn::Min(least[0], a_[0][c].*axis);
      most[0] = hn::Max(most[0], a_[0][c].*axis);
    }
    for (std::size_t c = 1; c < corners_b; ++c) {
      least[1] = hn::Min(least[1], b_[0][c].*axis);
      most[1] = hn::Max(most[1], b_[0][c].*axis);
    }
    return hn::And(hn::Le(least[0], most[1]), hn::Le(least[1], most[0]));
  }

  template <std::size_t size>
  static HWY_INLINE Vectors middle(const Vectors (&corners)[frames][size]) {
    const auto sum_of = [&](std::size_t c) HWY_ATTR {
      Vectors sum = corners[0][c];
      for (std::size_t frame = 1; frame < frames; ++frame) sum = sum + corners[frame][c];
      return sum;
    };
    Vectors sum = sum_of(0);
    for (std::size_t c = 1; c < size; ++c) sum = sum + sum_of(c);
    return hn::Set(Floats(), 1.0f / static_cast<float>(frames) / static_cast<float>(size)) * sum;
  }
  HWY_INLINE Vectors from_middle_to_middle() const { return middle(b_) - middle(a_); }

  // Returns the corner with the smallest n.x. For the first feature the caller passes -n.
  template <std::size_t size>
  static HWY_INLINE Worst least(const Vectors (&corners)[size], const Vectors& n) {
    // Member by member: gcc copies a struct of vectors in pieces of 16 bytes, and loads of whole
    // vectors from such a copy wait for the stores.
    Worst result;
    result.at.x = corners[0].x;
    result.at.y = corners[0].y;
    result.at.z = corners[0].z;
    result.along = dot(n, corners[0]);
    for (std::size_t c = 1; c < size; ++c) {
      const Many along = dot(n, corners[c]);
      result.at = select(hn::Lt(along, result.along), corners[c], result.at);
      result.along = hn::Min(along, result.along);
    }
    return result;
  }
  HWY_INLINE Worst worst_along(const Vectors& n) const {
    const Vectors opposite{hn::Neg(n.x), hn::Neg(n.y), hn::Neg(n.z)};
    const auto worst_in = [&](std::size_t frame) HWY_ATTR {
      const Worst b = least(b_[frame], n), a = least(a_[frame], opposite);
      return Worst{b.at - a.at, hn::Add(b.along, a.along)};
    };
    Worst result = worst_in(0);
    for (std::size_t frame = 1; frame < frames; ++frame) {
      const Worst next = worst_in(frame);
      result = {select(hn::Lt(result.along, next.along), result.at, next.at),
                hn::Min(result.along, next.along)};
    }
    return result;
  }

  HWY_INLINE hn::Mask<Floats> is_proof(const Vectors& n, const Worst& worst) const {
    const Many lost = hn::Set(Floats(), 0x1p-120f);
    return hn::Gt(worst.along, hn::Add(hn::Mul(sum_of_sizes(n), slack_), lost));
  }

  alignas(64) float corners_[frames][corners_a + corners_b][width][4];
  Vectors a_[frames][corners_a], b_[frames][corners_b];
  Many slack_;
};

}  // namespace graze::broad::tree::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
