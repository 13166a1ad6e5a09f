#include "graze/broad/tree/crossing_kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "graze/broad/tree/crossing_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "graze/broad/tree/packed_tree-inl.h"

HWY_BEFORE_NAMESPACE();
namespace graze::crossing::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
namespace packed = broad::tree::HWY_NAMESPACE;
using broad::tree::width;
using packed::Ids;
using Floats = hn::CappedTag<float, width>;
using V = hn::Vec<Floats>;
using M = hn::Mask<Floats>;

struct Boxes {
  struct Box {  // lane i of a packet
    const BoxPacket& packet;
    std::size_t i;
  };
  static HWY_INLINE Box lane(const BoxPacket& packet, std::size_t i) { return {packet, i}; }
  static HWY_INLINE M apart(const BoxPacket& packet, std::size_t i, const Box& box) {
    return hn::Or(hn::Or(apart_along(packet, i, box, 0), apart_along(packet, i, box, 1)),
                  apart_along(packet, i, box, 2));
  }

 private:
  static HWY_INLINE M apart_along(const BoxPacket& packet, std::size_t i, const Box& box,
                                  std::size_t k) {
    const Floats floats;
    return hn::Or(
        hn::Gt(hn::Load(floats, packet.lo[k].data() + i), hn::Set(floats, box.packet.hi[k][box.i])),
        hn::Gt(hn::Set(floats, box.packet.lo[k][box.i]),
               hn::Load(floats, packet.hi[k].data() + i)));
  }
};

struct V3 {
  V x, y, z;
};
HWY_INLINE V3 load(const std::array<Lanes<float>, 3>& from, std::size_t i) {
  const Floats floats;
  return {hn::Load(floats, from[0].data() + i), hn::Load(floats, from[1].data() + i),
          hn::Load(floats, from[2].data() + i)};
}
HWY_INLINE V3 broadcast(const std::array<Lanes<float>, 3>& from, std::size_t i) {
  const Floats floats;
  return {hn::Set(floats, from[0][i]), hn::Set(floats, from[1][i]), hn::Set(floats, from[2][i])};
}
HWY_INLINE V dot(const V3& a, const V3& b) {
  return hn::MulAdd(a.z, b.z, hn::MulAdd(a.y, b.y, hn::Mul(a.x, b.x)));
}
HWY_INLINE V3 minus(const V3& a, const V3& b) {
  return {hn::Sub(a.x, b.x), hn::Sub(a.y, b.y), hn::Sub(a.z, b.z)};
}
// Returns the cross product divided by its length; NaN if that is below 2^-50 or not finite.
HWY_INLINE V3 unit_cross(const V3& a, const V3& b) {
  const V3 c = {hn::MulSub(a.y, b.z, hn::Mul(a.z, b.y)), hn::MulSub(a.z, b.x, hn::Mul(a.x, b.z)),
                hn::MulSub(a.x, b.y, hn::Mul(a.y, b.x))};
  const Floats floats;
  const V squared = dot(c, c);
  const V factor =
      hn::IfThenElse(hn::Gt(squared, hn::Set(floats, 0x1p-100f)),
                     hn::Div(hn::Set(floats, 1.0f), hn::Sqrt(squared)), hn::NaN(floats));
  return {hn::Mul(c.x, factor), hn::Mul(c.y, factor), hn::Mul(c.z, factor)};
}

void SetDirections(TriangleTree& tree, std::size_t p) {
  const Floats floats;
  TrianglePacket& packet = tree.triangles[p];
  for (std::size_t i = 0; i < width; i += hn::Lanes(floats)) {
    const V3 corner[3] = {load(packet.corner[0], i), load(packet.corner[1], i),
                          load(packet.corner[2], i)};
    V reach = hn::Zero(floats);
    for (const V3& c : corner)
      reach = hn::Max(hn::Max(reach, hn::Abs(c.x)), hn::Max(hn::Abs(c.y), hn::Abs(c.z)));
    // Bounds the error of n.x computed in floats, for a corner x and a direction n with |n|_1 <= 2,
    // against the exact n.x of the mapped position. Let R be the largest coordinate and u = 2^-23,
    // which covers every rounding mode. The map rounds a coordinate by (1 + 2^-20) u R, or by
    // 2^-126 if that is denormal, which gives 2.1 u R + 2^-125. Three products and two sums give
    // 3.1 u 2 R + 3 2^-126. The sum is below 8.4 u R + 2^-123; 16 u R + 2^-100 also covers the
    // rounding of this bound and of its sum with n.x. A direction of unit length, rounded, has
    // |n|_1 < 1.8.
    // Coordinates may be clamped from 2^60 on; then nothing is proven.
    const V error = hn::IfThenElse(
        hn::Lt(reach, hn::Set(floats, 0x1p60f)),
        hn::MulAdd(hn::Set(floats, 0x1p-19f), reach, hn::Set(floats, 0x1p-100f)), hn::Inf(floats));
    hn::Store(error, floats, packet.error.data() + i);
    const V3 sides[3] = {minus(corner[1], corner[0]), minus(corner[2], corner[1]),
                         minus(corner[0], corner[2])};
    const V3 normal = unit_cross(sides[0], sides[1]);
    for (std::size_t d = 0; d < TrianglePacket::directions; ++d) {
      const V3 n = d == 0 ? normal : unit_cross(sides[d - 1], normal);
      hn::Store(n.x, floats, packet.n[d][0].data() + i);
      hn::Store(n.y, floats, packet.n[d][1].data() + i);
      hn::Store(n.z, floats, packet.n[d][2].data() + i);
      const V at[3] = {dot(n, corner[0]), dot(n, corner[1]), dot(n, corner[2])};
      hn::Store(hn::Add(hn::Max(hn::Max(at[0], at[1]), at[2]), error), floats,
                packet.top[d].data() + i);
      if (d == 0)
        hn::Store(hn::Sub(hn::Min(hn::Min(at[0], at[1]), at[2]), error), floats,
                  packet.bottom.data() + i);
    }
  }
}

// Returns the lanes in which a direction of triangle T shows that no two of the corners that are
// not `skipped` are the ends of a segment that meets T: all these corners lie beyond T.
// `error`: of the corners. direction(d), top(d) and bottom() are those of T. A NaN proves nothing.
template <class Direction, class Top>
HWY_INLINE M beyond(const V3 (&corners)[3], const M (&skipped)[3], V error, Direction&& direction,
                    Top&& top, V bottom) {
  const Floats floats;
  const V inf = hn::Inf(floats);
  M result = hn::FirstN(floats, 0);
  for (std::size_t d = 0; d < TrianglePacket::directions; ++d) {
    const V3 n = direction(d);
    const V at[3] = {dot(n, corners[0]), dot(n, corners[1]), dot(n, corners[2])};
    const auto least = hn::Min(
        hn::Min(hn::IfThenElse(skipped[0], inf, at[0]), hn::IfThenElse(skipped[1], inf, at[1])),
        hn::IfThenElse(skipped[2], inf, at[2]));
    result = hn::Or(result, hn::Gt(hn::Sub(least, error), top(d)));
    if (d > 0) continue;
    const auto most = hn::Max(hn::Max(hn::IfThenElse(skipped[0], hn::Neg(inf), at[0]),
                                      hn::IfThenElse(skipped[1], hn::Neg(inf), at[1])),
                              hn::IfThenElse(skipped[2], hn::Neg(inf), at[2]));
    result = hn::Or(result, hn::Lt(hn::Add(most, error), bottom));
  }
  return result;
}

// Returns the lanes of packet q of `b`, from lane i on, whose triangles may cross triangle r of
// packet p of `a`: of triangles without a common vertex neither is proven beyond the other; of
// triangles with one common vertex the side across that vertex of one of them is not proven beyond
// the other.
HWY_INLINE M may_cross(const TriangleTree& a, std::size_t p, std::size_t r, const TriangleTree& b,
                       std::size_t q, std::size_t i, M overlap) {
  const Floats floats;
  const Ids ids;
  M skipped_a[3], skipped_b[3];
  for (std::size_t c = 0; c < 3; ++c) skipped_a[c] = skipped_b[c] = hn::FirstN(floats, 0);
  for (std::size_t k = 0; k < 3; ++k) {
    const auto corner = hn::LoadU(ids, b.corners[k][q].data() + i);
    for (std::size_t c = 0; c < 3; ++c) {
      const M same = hn::RebindMask(floats, hn::Eq(corner, hn::Set(ids, a.corners[c][p][r])));
      skipped_a[c] = hn::Or(skipped_a[c], same);
      skipped_b[k] = hn::Or(skipped_b[k], same);
    }
  }
  const M shared = hn::Or(hn::Or(skipped_a[0], skipped_a[1]), skipped_a[2]);
  const auto two = [](const M(&m)[3]) HWY_ATTR {
    return hn::Or(hn::Or(hn::And(m[0], m[1]), hn::And(m[1], m[2])), hn::And(m[2], m[0]));
  };
  M open = hn::AndNot(hn::Or(two(skipped_a), two(skipped_b)), overlap);
  if (hn::AllFalse(floats, open)) return open;
  const TrianglePacket &of_a = a.triangles[p], &of_b = b.triangles[q];
  const V3 corners_b[3] = {load(of_b.corner[0], i), load(of_b.corner[1], i),
                           load(of_b.corner[2], i)};
  const M b_beyond_a = beyond(
      corners_b, skipped_b, hn::Load(floats, of_b.error.data() + i),
      [&](std::size_t d) HWY_ATTR { return broadcast(of_a.n[d], r); },
      [&](std::size_t d) HWY_ATTR { return hn::Set(floats, of_a.top[d][r]); },
      hn::Set(floats, of_a.bottom[r]));
  open = hn::AndNot(hn::AndNot(shared, b_beyond_a), open);
  if (hn::AllFalse(floats, open)) return open;
  const V3 corners_a[3] = {broadcast(of_a.corner[0], r), broadcast(of_a.corner[1], r),
                           broadcast(of_a.corner[2], r)};
  const M a_beyond_b = beyond(
      corners_a, skipped_a, hn::Set(floats, of_a.error[r]),
      [&](std::size_t d) HWY_ATTR { return load(of_b.n[d], i); },
      [&](std::size_t d) HWY_ATTR { return hn::Load(floats, of_b.top[d].data() + i); },
      hn::Load(floats, of_b.bottom.data() + i));
  return hn::AndNot(hn::And(a_beyond_b, hn::Or(b_beyond_a, hn::Not(shared))), open);
}

void FindCandidates(const TriangleTree& a, const TriangleTree& b, std::size_t first,
                    std::size_t last, std::vector<Pair>& pairs) {
  const Floats floats;
  packed::walk<Boxes>(
      a, b, first, last,
      [&](std::size_t p, const Boxes::Box& box_of_p, std::size_t q, const Boxes::Box& box_of_q)
          HWY_ATTR {
            unsigned rows = packed::overlap_bits<Boxes>(a.levels[0][p], box_of_q);
            if (rows == 0) return;
            if (packed::overlap_bits<Boxes>(b.levels[0][q], box_of_p) == 0) return;
            const bool same = &a == &b && p == q;
            for (; rows != 0; rows &= rows - 1) {
              const auto r = static_cast<std::size_t>(std::countr_zero(rows));
              const Boxes::Box row = Boxes::lane(a.levels[0][p], r);
              for (std::size_t i = 0; i < width; i += hn::Lanes(floats)) {
                M overlap = hn::Not(Boxes::apart(b.levels[0][q], i, row));
                if (same)
                  overlap = hn::AndNot(hn::FirstN(floats, r + 1 > i ? r + 1 - i : 0), overlap);
                if (hn::AllFalse(floats, overlap)) continue;
                unsigned open = packed::bits_at(may_cross(a, p, r, b, q, i, overlap), i);
                for (; open != 0; open &= open - 1)
                  pairs.push_back(
                      {a.id[p][r], b.id[q][static_cast<std::size_t>(std::countr_zero(open))]});
              }
            }
          });
}

}  // namespace
}  // namespace graze::crossing::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::crossing {

HWY_EXPORT(SetDirections);
HWY_EXPORT(FindCandidates);

void set_directions(TriangleTree& tree) {
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, tree.triangles.size(), 256),
                    [&](const auto& range) {
                      for (std::size_t p = range.begin(); p < range.end(); ++p)
                        HWY_DYNAMIC_DISPATCH(SetDirections)(tree, p);
                    });
}

void find_candidates(const TriangleTree& a, const TriangleTree& b, std::size_t first,
                     std::size_t last, std::vector<Pair>& pairs) {
  HWY_DYNAMIC_DISPATCH(FindCandidates)(a, b, first, last, pairs);
}

}  // namespace graze::crossing
#endif
