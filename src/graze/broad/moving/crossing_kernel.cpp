#include "graze/broad/moving/crossing_kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "graze/broad/moving/crossing_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "graze/broad/moving/separating_direction-inl.h"
#include "graze/broad/tree/packed_tree-inl.h"

// Proofs that no side of a triangle S pierces a triangle T and no side of T pierces S, in floats.
// The two have at most one common vertex v; "the corners of S" are those without v.
//
// (A) If all corners of S lie strictly on one side of the plane of T, S and T have no common point
//     but v, hence no side of one pierces the other.
// (B) The same holds for a plane through two corners of T such that the third corner of T is not v
//     and lies strictly on the other side.
// (C) Without a common vertex: the same holds for any plane between S and T.
// (D) A side p-q of S without v does not pierce T if a plane lies between the side and T, or if the
//     volumes p, q, a, b and p, q, b, c, with corners a, b, c of T in any order, have opposite
//     signs: the line through p and q then does not pass strictly inside T. Sides that contain v do
//     not pierce T, and a triangle with fewer than three vertices is not pierced.
//
// Notation: u = 2^-23, which covers every rounding mode. x is an exact position in the units of
// MovingBounds, x~ its stored lower bound, R the largest |x~| of a triangle. Every coordinate of x~
// is off by at most eta = W + 1.01 u R + 2^-120, where W is the width of the bounds and the last
// term is for denormal numbers. L is at least the length of each exact side.

HWY_BEFORE_NAMESPACE();
namespace graze::broad::tree::HWY_NAMESPACE {
namespace {

using Mask = hn::Mask<Floats>;

// Overlap of the boxes at the begin of the slab, or of the swept boxes if the tree has only these.
template <Bounds bounds>
struct BoxesAtBegin {
  using MovingPacket = tree::MovingPacket<bounds>;
  struct Box {  // lane i of a packet
    const MovingPacket& packet;
    std::size_t i;
  };
  static HWY_INLINE Box lane(const MovingPacket& packet, std::size_t i) { return {packet, i}; }
  static HWY_INLINE Mask apart(const MovingPacket& packet, std::size_t i, const Box& box) {
    return hn::Or(hn::Or(apart_along(packet, i, box, 0), apart_along(packet, i, box, 1)),
                  apart_along(packet, i, box, 2));
  }

 private:
  static HWY_INLINE Mask apart_along(const MovingPacket& packet, std::size_t i, const Box& box,
                                     std::size_t k) {
    const Floats floats;
    return hn::Or(
        hn::Gt(hn::Load(floats, packet.lo[k].data() + i), hn::Set(floats, box.packet.hi[k][box.i])),
        hn::Gt(hn::Set(floats, box.packet.lo[k][box.i]),
               hn::Load(floats, packet.hi[k].data() + i)));
  }
};

HWY_INLINE Many fused_dot(const Vectors& a, const Vectors& b) {
  return hn::MulAdd(a.z, b.z, hn::MulAdd(a.y, b.y, hn::Mul(a.x, b.x)));
}
HWY_INLINE Many largest_of(const Vectors& a) {
  return hn::Max(hn::Abs(a.x), hn::Max(hn::Abs(a.y), hn::Abs(a.z)));
}

// One triangle per lane, at the begin of the slab.
//
// Let N be the exact normal (d - v) x (e - v) for any naming of the corners, N~ the computed one, s
// = |N~|_1 > 0 and n = N~ / s. The computed sides are off by eps = sqrt(3) (2 eta + u L) in length.
// Then N~ is off by 2 L eps + eps^2 + 3.5 u L^2, which is at most L (7.2 eta + 7.1 u L) if 64 eta <
// L, and (N~ - N) / s, with the rounding of n, is at most `tilt` = 8 L (eta + u L) / s + 8 u in
// length. The last term also covers products that are denormal, since s > 2^-100.
//
// n.x computed for a corner x of any triangle with the errors eta and R is off by eta + 3.1 u R;
// `error` = eta + 6 u R also covers the rounding of the sums in beyond().
struct Triangles {
  Vectors corner[3];  // lower bounds
  Mask common[3];     // whether the corner is a vertex of the other triangle of the pair
  Mask flat[3];       // whether the corner and the next one are the same vertex
  Many slack;         // at least the slack of the corners
  Vectors n;          // NaN if it is unknown
  Many tilt, size, error;
  Many above, below;  // the largest and the smallest n.x of the corners

  HWY_INLINE void set_normal(const Many (&slacks)[3]) {
    const Floats d;
    const Many u = hn::Set(d, 0x1p-23f);
    // slack >= 2 W + 2^-19 R
    Many reach = hn::Zero(d), wide = hn::Zero(d);
    for (std::size_t c = 0; c < 3; ++c) {
      const Many r = largest_of(corner[c]);
      reach = hn::Max(reach, r);
      wide = hn::Max(wide, hn::NegMulAdd(hn::Set(d, 0.999f * 0x1p-19f), r, slacks[c]));
    }
    const Many eta =
        hn::MulAdd(hn::Set(d, 0.501f), wide,
                   hn::MulAdd(hn::Set(d, 1.01f * 0x1p-23f), reach, hn::Set(d, 0x1p-119f)));
    const Vectors p = corner[1] - corner[0], q = corner[2] - corner[0], r = corner[2] - corner[1];
    const Vectors normal = cross(p, q);
    const Many sum = sum_of_sizes(normal);
    const Many longest =
        hn::Sqrt(hn::Max(fused_dot(p, p), hn::Max(fused_dot(q, q), fused_dot(r, r))));
    const Mask known = hn::And(hn::And(hn::Gt(sum, hn::Set(d, 0x1p-100f)),
                                       hn::Lt(hn::Mul(hn::Set(d, 64.0f), eta), longest)),
                               hn::Lt(reach, hn::Set(d, 0x1p20f)));
    const Many factor = hn::IfThenElse(known, hn::Div(hn::Set(d, 1.0f), sum), hn::NaN(d));
    n = factor * normal;
    size = hn::MulAdd(hn::Set(d, 4.0f), eta, hn::Mul(hn::Set(d, 1.001f), longest));
    tilt = hn::MulAdd(hn::Mul(hn::Mul(hn::Set(d, 8.1f), size), hn::MulAdd(u, size, eta)), factor,
                      hn::Mul(hn::Set(d, 8.0f), u));
    error = hn::MulAdd(hn::Mul(hn::Set(d, 6.0f), u), reach, eta);
    const Many at[3] = {fused_dot(n, corner[0]), fused_dot(n, corner[1]), fused_dot(n, corner[2])};
    above = hn::Max(at[0], hn::Max(at[1], at[2]));
    below = hn::Min(at[0], hn::Min(at[1], at[2]));
  }

  // Stores the triangles in lanes i and following of a packet.
  HWY_INLINE void store(TrianglePacket& packet, std::size_t i) const {
    const Floats d;
    const auto store = [&](const Vectors& from, std::array<Lanes<float>, 3>& to) HWY_ATTR {
      hn::Store(from.x, d, to[0].data() + i);
      hn::Store(from.y, d, to[1].data() + i);
      hn::Store(from.z, d, to[2].data() + i);
    };
    for (std::size_t c = 0; c < 3; ++c) store(corner[c], packet.corner[c]);
    store(n, packet.n);
    hn::Store(tilt, d, packet.tilt.data() + i);
    hn::Store(size, d, packet.size.data() + i);
    hn::Store(error, d, packet.error.data() + i);
    hn::Store(above, d, packet.above.data() + i);
    hn::Store(below, d, packet.below.data() + i);
  }
};

// Access to the triangles of a packet: lanes i and following, or triangle i in all lanes.
struct InLanes {
  static HWY_INLINE Many get(const Lanes<float>& from, std::size_t i) {
    return hn::Load(Floats(), from.data() + i);
  }
};
struct InAllLanes {
  static HWY_INLINE Many get(const Lanes<float>& from, std::size_t i) {
    return hn::Set(Floats(), from[i]);
  }
};
template <class Access>
HWY_INLINE Many dot_from(const Vectors& n, const std::array<Lanes<float>, 3>& from, std::size_t i) {
  return fused_dot(n, {Access::get(from[0], i), Access::get(from[1], i), Access::get(from[2], i)});
}

// Returns the lanes in which (A) or (C) is proven with the normal of T: n.b~ - n.t~ exceeds error_S
// + error_T + tilt_T size_S for each corner b of S and each corner t of T, or it is below the
// negative bound. Proof: for the common vertex v, N.(b - v) / s differs from n.b~ - n.v~ by at most
// error_S + error_T + tilt_T |b - v|, and |b - v| is the length of a side of S. Without a common
// vertex n keeps S and T apart.
// S: triangle or triangles i of packet s; T: those of packet t from j on. common[c]: whether corner
// c of S is a vertex of T.
template <class AccessS, class AccessT>
HWY_INLINE Mask beyond(const TrianglePacket& s, std::size_t i, const Mask (&common)[3],
                       const TrianglePacket& t, std::size_t j) {
  const Many margin = hn::Add(
      hn::MulAdd(AccessT::get(t.tilt, j), AccessS::get(s.size, i), AccessS::get(s.error, i)),
      AccessT::get(t.error, j));
  const Many above = hn::Add(AccessT::get(t.above, j), margin),
             below = hn::Sub(AccessT::get(t.below, j), margin);
  const Vectors n = {AccessT::get(t.n[0], j), AccessT::get(t.n[1], j), AccessT::get(t.n[2], j)};
  const Many at[3] = {dot_from<AccessS>(n, s.corner[0], i), dot_from<AccessS>(n, s.corner[1], i),
                      dot_from<AccessS>(n, s.corner[2], i)};
  const Many inf = hn::Inf(Floats()), minus_inf = hn::Neg(inf);
  Many least = inf, most = minus_inf;  // of the corners that are not common
  for (std::size_t c = 0; c < 3; ++c) {
    least = hn::Min(least, hn::IfThenElse(common[c], inf, at[c]));
    most = hn::Max(most, hn::IfThenElse(common[c], minus_inf, at[c]));
  }
  return hn::Or(hn::Gt(least, above), hn::Lt(most, below));
}

// Returns the lanes in which (B) is proven with a plane through a side of T along its normal.
//
// Let the side go from i to j, k be the third corner, n the normal of T as computed (any vector
// with |n|_1 <= 1.001 will do) and M = (j - i) x n the exact normal of the exact plane through i
// and j along n. With eta <= slack, the computed m = (j~ - i~) x n is off by sqrt(3) (2 eta + u L)
// + 3.5 u L in length, hence by less than turn = 5 slack + 16 u |j~ - i~|_1. m.(x~ - i~) computed
// differs from M.(x - i) by at most |m|_1 2 eta + 4 u |m|_1 |x~ - i~|_1 + turn |x - i|, up to
// denormal numbers. The margin below is larger.
HWY_INLINE Mask beside(const Triangles& s, const Triangles& t) {
  const Floats d;
  const Many slack = hn::Max(s.slack, t.slack);
  Mask result = hn::FirstN(d, 0);
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
    const Vectors side = t.corner[j] - t.corner[i], m = cross(side, t.n);
    const Many sum = sum_of_sizes(m);
    const Many turn =
        hn::MulAdd(hn::Set(d, 0x1p-19f), sum_of_sizes(side), hn::Mul(hn::Set(d, 5.0f), slack));
    const Many slope = hn::MulAdd(hn::Set(d, 0x1p-20f), sum, turn);
    const Many fixed =
        hn::MulAdd(hn::Mul(hn::Set(d, 3.0f), slack), sum,
                   hn::MulAdd(hn::Mul(hn::Set(d, 8.0f), slack), slope, hn::Set(d, 0x1p-110f)));
    const auto is_beyond = [&](const Vectors& x, Many sign) HWY_ATTR {
      const Vectors from = x - t.corner[i];
      const Many margin = hn::MulAdd(slope, hn::Mul(hn::Set(d, 1.01f), sum_of_sizes(from)), fixed);
      return hn::Gt(hn::Mul(sign, fused_dot(m, from)), margin);
    };
    Mask proof = hn::AndNot(t.common[k], is_beyond(t.corner[k], hn::Set(d, -1.0f)));
    for (std::size_t c = 0; c < 3; ++c)
      proof = hn::And(proof, hn::Or(s.common[c], is_beyond(s.corner[c], hn::Set(d, 1.0f))));
    result = hn::Or(result, proof);
  }
  return result;
}

// Returns the lanes in which (D) is proven for all sides of S.
//
// Planes: if n.b~ exceeds n.t~ by error_S + error_T for both ends b of a side and all corners t of
// T, n keeps the side and T apart.
//
// Volumes: let e = q - p, A = a - p and so on, each as computed, and `reach` at least the absolute
// value of their components and of those of the exact differences. A component is off by at most
// eps = 2 eta + u reach, where eta <= error. Replacing the exact differences by the computed ones
// changes the determinant of three by at most 6 (3 reach^2 eps + 3 reach eps^2 + eps^3), which is
// less than 18.4 reach^2 eps if 64 eps < reach. The computed e.(A x B) has two roundings in each
// product and three in the sums, so that it is off by less than 5.1 u times the sum of six products
// below reach^3. In all this is less than reach^2 (37 eta + 50 u reach), up to denormal numbers.
HWY_INLINE Mask sides_pass(const Triangles& s, const Triangles& t, Many extent) {
  const Floats d;
  const Many error = hn::Add(s.error, t.error);
  const Many reach =
      hn::Max(hn::MulAdd(hn::Set(d, 1.01f), extent, hn::Mul(hn::Set(d, 4.0f), error)),
              hn::Mul(hn::Set(d, 256.0f), error));
  const Many margin =
      hn::MulAdd(hn::Mul(reach, reach),
                 hn::MulAdd(hn::Set(d, 0x1p-17f), reach, hn::Mul(hn::Set(d, 40.0f), error)),
                 hn::Set(d, 0x1p-90f));
  const Mask in_range = hn::Lt(reach, hn::Set(d, 0x1p20f));
  Mask above[3], below[3];
  for (std::size_t c = 0; c < 3; ++c) {
    const Many at = fused_dot(t.n, s.corner[c]);
    above[c] = hn::Gt(at, hn::Add(t.above, error));
    below[c] = hn::Lt(at, hn::Sub(t.below, error));
  }
  Mask result = hn::Not(hn::FirstN(d, 0));
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3;
    const Vectors e = s.corner[j] - s.corner[i];
    const Vectors from[3] = {t.corner[0] - s.corner[i], t.corner[1] - s.corner[i],
                             t.corner[2] - s.corner[i]};
    Mask positive = hn::FirstN(d, 0), negative = positive;
    for (std::size_t k = 0; k < 3; ++k) {
      const Many volume = dot(e, cross(from[k], from[(k + 1) % 3]));
      positive = hn::Or(positive, hn::Gt(volume, margin));
      negative = hn::Or(negative, hn::Lt(volume, hn::Neg(margin)));
    }
    const Mask apart = hn::Or(hn::And(above[i], above[j]), hn::And(below[i], below[j]));
    const Mask passes = hn::And(in_range, hn::And(positive, negative));
    const Mask excluded = hn::Or(s.flat[i], hn::Or(s.common[i], s.common[j]));
    result = hn::And(result, hn::Or(excluded, hn::Or(apart, passes)));
  }
  return hn::Or(result, hn::Or(t.flat[0], hn::Or(t.flat[1], t.flat[2])));
}

// One pair of triangles per lane.
class PairsOfFaces {
 public:
  HWY_INLINE void set(std::size_t i, const std::array<std::uint32_t, 3>& a,
                      const std::array<std::uint32_t, 3>& b, const MovingBounds::Corner* lo) {
    for (std::size_t c = 0; c < 6; ++c) {
      const std::uint32_t corner = c < 3 ? a[c] : b[c - 3];
      ids_[c][i] = corner;
      std::copy_n(lo[corner].data(), 4, corners_[c][i]);
    }
  }

  // Returns a mask whose bit i is set if pair i is proven by (B).
  HWY_INLINE unsigned by_planes() const {
    Triangles a, b;
    load(a, b);
    return bits_at(hn::Or(beside(b, a), beside(a, b)), 0);
  }

  // Returns a mask whose bit i is set if pair i is proven by (D).
  HWY_INLINE unsigned by_sides() const {
    Triangles a, b;
    load(a, b);
    const Many extent =
        hn::Max(extent_of(a, b, &Vectors::x),
                hn::Max(extent_of(a, b, &Vectors::y), extent_of(a, b, &Vectors::z)));
    return bits_at(hn::And(sides_pass(a, b, extent), sides_pass(b, a, extent)), 0);
  }

 private:
  // Returns the largest difference of two corners of a pair along an axis.
  static HWY_INLINE Many extent_of(const Triangles& a, const Triangles& b, Many Vectors::*axis) {
    Many least = a.corner[0].*axis, most = least;
    for (const Triangles* triangles : {&a, &b})
      for (const Vectors& corner : triangles->corner) {
        least = hn::Min(least, corner.*axis);
        most = hn::Max(most, corner.*axis);
      }
    return hn::Sub(most, least);
  }

  HWY_INLINE void load(Triangles& a, Triangles& b) const {
    const Floats d;
    const Ids ids;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto id = hn::Load(ids, ids_[3 + k]);
      Mask same[3];
      for (std::size_t c = 0; c < 3; ++c) {
        same[c] = hn::RebindMask(d, hn::Eq(id, hn::Load(ids, ids_[c])));
        a.common[c] = k == 0 ? same[c] : hn::Or(a.common[c], same[c]);
      }
      b.common[k] = hn::Or(same[0], hn::Or(same[1], same[2]));
    }
    load(a, 0);
    load(b, 3);
  }

  HWY_INLINE void load(Triangles& triangles, std::size_t first) const {
    const Floats d;
    Many slack[3];
    for (std::size_t c = 0; c < 3; ++c) {
      Vectors& x = triangles.corner[c];
      hn::LoadInterleaved4(d, corners_[first + c][0], x.x, x.y, x.z, slack[c]);
    }
    triangles.slack = hn::Max(slack[0], hn::Max(slack[1], slack[2]));
    const Ids ids;
    for (std::size_t c = 0; c < 3; ++c)
      triangles.flat[c] = hn::RebindMask(
          d, hn::Eq(hn::Load(ids, ids_[first + c]), hn::Load(ids, ids_[first + (c + 1) % 3])));
    triangles.set_normal(slack);
  }

  alignas(64) float corners_[6][width][4];
  alignas(64) std::uint32_t ids_[6][width];
};

// Collects pairs, by their indices in the trees, whose boxes overlap. flush() passes on the pairs
// that are not proven.
template <Bounds bounds>
class CrossingCandidates {
 public:
  using MovingTree = tree::MovingTree<bounds>;
  using Boxes = BoxesAtBegin<bounds>;
  using Box = typename Boxes::Box;

  HWY_INLINE CrossingCandidates(const MovingTree& a, const MovingTree& b,
                                const MovingBounds& positions, std::uint32_t first_id_of_a,
                                PairBlock& block)
      : a_(a), b_(b), positions_(positions), first_id_of_a_(first_id_of_a), block_(block) {}

  // Adds the pairs of packet p of `a` and packet q of `b`, row by row or column by column,
  // whichever are fewer.
  HWY_INLINE void add(std::size_t p, const Box& box_of_p, std::size_t q, const Box& box_of_q) {
    const unsigned rows = overlap_bits<Boxes>(a_.levels[0][p], box_of_q);
    const unsigned columns = overlap_bits<Boxes>(b_.levels[0][q], box_of_p);
    if (rows == 0 || columns == 0) return;
    Pair* const to = pairs_.data() + size_;
    size_ += std::popcount(rows) <= std::popcount(columns)
                 ? match_unproven<First::of_a>(a_, p, rows, b_, q, to)
                 : match_unproven<First::of_b>(b_, q, columns, a_, p, to);
    if (size_ > pairs_.size() - room) flush();
  }

  HWY_INLINE void flush() {
    size_ =
        drop_proven(size_, [](const PairsOfFaces& pairs) HWY_ATTR { return pairs.by_planes(); });
    size_ = drop_proven(size_, [](const PairsOfFaces& pairs) HWY_ATTR { return pairs.by_sides(); });
    Pair* const to = block_.reserve(size_);
    for (std::size_t i = 0; i < size_; ++i)
      to[i] = {first_id_of_a_ + a_.order[pairs_[i].a], b_.order[pairs_[i].b]};
    block_.commit(size_);
    size_ = 0;
  }

 private:
  // Writes the pairs of the given rows of packet p of `a` with features of packet q of `b` that
  // overlap, have at most one common vertex and are not proven by (A) or (C), each once if the
  // packets are the same. Returns the number of pairs. Needs room for `width` more pairs.
  template <First which>
  static HWY_INLINE std::size_t match_unproven(const MovingTree& a, std::size_t p, unsigned rows,
                                               const MovingTree& b, std::size_t q, Pair* pairs) {
    const Ids ids;
    const Floats d;
    const bool same = &a == &b && p == q;
    const auto& columns = b.levels[0][q];
    const TrianglePacket &of_rows = a.triangles[p], &of_columns = b.triangles[q];
    std::size_t found = 0;
    for (; rows != 0; rows &= rows - 1) {
      const auto r = static_cast<std::size_t>(std::countr_zero(rows));
      const auto row = Boxes::lane(a.levels[0][p], r);
      for (std::size_t i = 0; i < width; i += hn::Lanes(ids)) {
        Mask miss = Boxes::apart(columns, i, row);
        if (same)
          miss = hn::Or(miss, hn::RebindMask(d, hn::FirstN(ids, r + 1 > i ? r + 1 - i : 0)));
        if (hn::AllTrue(d, miss)) continue;
        Mask of_row[3], of_column[3];  // whether the corner is common
        for (std::size_t c = 0; c < 3; ++c) {
          const auto id = hn::Load(ids, of_columns.place[c].data() + i);
          Mask equal[3];
          for (std::size_t k = 0; k < 3; ++k) {
            equal[k] = hn::RebindMask(d, hn::Eq(id, hn::Set(ids, of_rows.place[k][r])));
            of_row[k] = c == 0 ? equal[k] : hn::Or(of_row[k], equal[k]);
          }
          of_column[c] = hn::Or(equal[0], hn::Or(equal[1], equal[2]));
        }
        const Mask two = hn::Or(hn::And(of_column[0], of_column[1]),
                                hn::And(of_column[2], hn::Or(of_column[0], of_column[1])));
        miss = hn::Or(hn::Or(miss, two),
                      hn::Or(beyond<InLanes, InAllLanes>(of_columns, i, of_column, of_rows, r),
                             beyond<InAllLanes, InLanes>(of_rows, r, of_row, of_columns, i)));
        const auto hit = hn::RebindMask(ids, hn::Not(miss));
        const auto first = hn::Set(ids, a.id[p][r]);
        const auto second =
            broad::HWY_NAMESPACE::compress(ids, hn::LoadU(ids, b.id[q].data() + i), hit);
        auto* const to = reinterpret_cast<std::uint32_t*>(pairs + found);
        if constexpr (which == First::of_a)
          hn::StoreInterleaved2(first, second, ids, to);
        else
          hn::StoreInterleaved2(second, first, ids, to);
        found += hn::CountTrue(ids, hit);
      }
    }
    return found;
  }

  // Keeps the first `size` pairs that are not proven. Returns their number. prove(pairs) returns a
  // mask whose bit i is set if pair i is proven.
  template <class Prove>
  HWY_INLINE std::size_t drop_proven(std::size_t size, Prove&& prove) {
    std::size_t kept = 0;
    for (std::size_t first = 0; first < size; first += hn::Lanes(Floats())) {
      const std::size_t count = std::min(hn::Lanes(Floats()), size - first);
      PairsOfFaces pairs;
      for (std::size_t i = 0; i < hn::Lanes(Floats()); ++i) {
        const auto [a, b] = pairs_[first + std::min(i, count - 1)];
        pairs.set(i, corners(a_, a), corners(b_, b), positions_.lo());
      }
      const unsigned proven = prove(pairs);
      for (std::size_t i = 0; i < count; ++i) {
        pairs_[kept] = pairs_[first + i];
        kept += !(proven >> i & 1);
      }
    }
    return kept;
  }

  static HWY_INLINE std::array<std::uint32_t, 3> corners(const MovingTree& tree,
                                                         std::size_t feature) {
    const std::size_t p = feature / width, i = feature % width;
    return {tree.corners[0][p][i], tree.corners[1][p][i],
            tree.corners[tree.corner_count - 1][p][i]};
  }

  static constexpr std::size_t room = width * width + width;
  const MovingTree &a_, &b_;
  const MovingBounds& positions_;
  const std::uint32_t first_id_of_a_;
  PairBlock& block_;
  std::array<Pair, 4 * room> pairs_;
  std::size_t size_ = 0;
};

template <Bounds bounds>
HWY_INLINE void place(MovingTree<bounds>& tree, const MovingBounds& positions, std::size_t first,
                      std::size_t last) {
  const Floats d;
  for (std::size_t p = first; p < last; ++p)
    for (std::size_t i = 0; i < width; i += hn::Lanes(d)) {
      Triangles triangles;
      Many slacks[3];
      for (std::size_t c = 0; c < 3; ++c) {
        alignas(64) float corners[width][4];
        auto& ids = tree.triangles[p].place[c];
        ids = tree.corners[std::min(c, tree.corner_count - 1)][p];
        for (std::size_t k = 0; k < hn::Lanes(d); ++k)
          std::copy_n(positions.lo()[ids[i + k]].data(), 4, corners[k]);
        Vectors& x = triangles.corner[c];
        hn::LoadInterleaved4(d, corners[0], x.x, x.y, x.z, slacks[c]);
      }
      triangles.set_normal(slacks);
      triangles.store(tree.triangles[p], i);
    }
}

void PlaceSwept(MovingTree<Bounds::swept>& tree, const MovingBounds& positions, std::size_t first,
                std::size_t last) {
  place(tree, positions, first, last);
}
void PlaceAtBothEnds(MovingTree<Bounds::at_both_ends>& tree, const MovingBounds& positions,
                     std::size_t first, std::size_t last) {
  place(tree, positions, first, last);
}

template <Bounds bounds>
HWY_INLINE void cross_among(const MovingTree<bounds>& a, const MovingTree<bounds>& b,
                            const MovingBounds& positions, std::uint32_t first_id_of_a,
                            std::size_t first, std::size_t last, PairBlock& block) {
  CrossingCandidates<bounds> candidates(a, b, positions, first_id_of_a, block);
  walk<BoxesAtBegin<bounds>>(a, b, first, last,
                             [&](auto p, const auto& box_of_p, auto q, const auto& box_of_q)
                                 HWY_ATTR { candidates.add(p, box_of_p, q, box_of_q); });
  candidates.flush();
}

void CrossSwept(const MovingTree<Bounds::swept>& a, const MovingTree<Bounds::swept>& b,
                const MovingBounds& positions, std::uint32_t first_id_of_a, std::size_t first,
                std::size_t last, PairBlock& block) {
  cross_among(a, b, positions, first_id_of_a, first, last, block);
}
void CrossAtBothEnds(const MovingTree<Bounds::at_both_ends>& a,
                     const MovingTree<Bounds::at_both_ends>& b, const MovingBounds& positions,
                     std::uint32_t first_id_of_a, std::size_t first, std::size_t last,
                     PairBlock& block) {
  cross_among(a, b, positions, first_id_of_a, first, last, block);
}

}  // namespace
}  // namespace graze::broad::tree::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::broad::tree {

HWY_EXPORT(PlaceSwept);
HWY_EXPORT(PlaceAtBothEnds);
HWY_EXPORT(CrossSwept);
HWY_EXPORT(CrossAtBothEnds);

void place_triangles(MovingTree<Bounds::swept>& tree, const MovingBounds& positions,
                     std::size_t first, std::size_t last) {
  HWY_DYNAMIC_DISPATCH(PlaceSwept)(tree, positions, first, last);
}
void place_triangles(MovingTree<Bounds::at_both_ends>& tree, const MovingBounds& positions,
                     std::size_t first, std::size_t last) {
  HWY_DYNAMIC_DISPATCH(PlaceAtBothEnds)(tree, positions, first, last);
}

void find_crossings(const MovingTree<Bounds::swept>& a, const MovingTree<Bounds::swept>& b,
                    const MovingBounds& positions, std::uint32_t first_id_of_a, std::size_t first,
                    std::size_t last, PairBlock& block) {
  HWY_DYNAMIC_DISPATCH(CrossSwept)(a, b, positions, first_id_of_a, first, last, block);
}
void find_crossings(const MovingTree<Bounds::at_both_ends>& a,
                    const MovingTree<Bounds::at_both_ends>& b, const MovingBounds& positions,
                    std::uint32_t first_id_of_a, std::size_t first, std::size_t last,
                    PairBlock& block) {
  HWY_DYNAMIC_DISPATCH(CrossAtBothEnds)(a, b, positions, first_id_of_a, first, last, block);
}

}  // namespace graze::broad::tree
#endif
