// Traversal of packed trees, compiled once for every SIMD target.

#if defined(GRAZE_BROAD_PACKED_TREE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GRAZE_BROAD_PACKED_TREE_INL_H_
#undef GRAZE_BROAD_PACKED_TREE_INL_H_
#else
#define GRAZE_BROAD_PACKED_TREE_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <type_traits>

#include "graze/broad/compress-inl.h"
#include "graze/broad/tree/packed_tree.h"
#include "graze/mesh.h"

HWY_BEFORE_NAMESPACE();
namespace graze::broad::tree::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Ids = hn::CappedTag<std::uint32_t, width>;

// Returns a mask for the lanes from i on as bits of a mask of sixteen lanes.
template <class Mask>
HWY_INLINE unsigned bits_at(Mask mask, std::size_t i) {
  std::uint8_t bytes[8] = {};
  hn::StoreMaskBits(Ids(), hn::RebindMask(Ids(), mask), bytes);
  return (unsigned{bytes[0]} | unsigned{bytes[1]} << 8) << i;
}

// Returns which of a packet's boxes overlap a box, as bits. Boxes::lane(packet, i) is box i of a
// packet; Boxes::apart(packet, i, box) is the mask of the boxes from i on that do not overlap a
// box.
template <class Boxes, class Packet>
HWY_INLINE unsigned overlap_bits(const Packet& packet, const typename Boxes::Box& box) {
  unsigned bits = 0;
  for (std::size_t i = 0; i < width; i += hn::Lanes(Ids()))
    bits |= bits_at(hn::Not(Boxes::apart(packet, i, box)), i);
  return bits;
}

// The feature of a pair that is written first: the one with fewer corners, or with equal numbers
// the smaller id; the feature of `a`; the feature of `b`.
enum class First { lesser, of_a, of_b };

// Writes the pairs of the given rows of packet p of `a` with features of packet q of `b` that
// overlap and share no corner, each once if the packets are the same. Returns the number of pairs.
// Needs room for `width` more pairs. Does not branch on overlaps, which are unpredictable.
template <class Boxes, std::size_t corners_a, std::size_t corners_b, First which, class Tree>
HWY_INLINE std::size_t match(const Tree& a, std::size_t p, unsigned rows, const Tree& b,
                             std::size_t q, Pair* pairs) {
  const Ids ids;
  const bool same = &a == &b && p == q;
  const auto& columns = b.levels[0][q];
  std::size_t found = 0;
  for (; rows != 0; rows &= rows - 1) {
    const auto r = static_cast<std::size_t>(std::countr_zero(rows));
    const auto row = Boxes::lane(a.levels[0][p], r);
    for (std::size_t i = 0; i < width; i += hn::Lanes(ids)) {
      auto miss = hn::RebindMask(ids, Boxes::apart(columns, i, row));
      if (same) miss = hn::Or(miss, hn::FirstN(ids, r + 1 > i ? r + 1 - i : 0));
      for (std::size_t c = 0; c < corners_b; ++c) {
        const auto corner = hn::LoadU(ids, b.corners[c][q].data() + i);
        for (std::size_t k = 0; k < corners_a; ++k)
          miss = hn::Or(miss, hn::Eq(corner, hn::Set(ids, a.corners[k][p][r])));
      }
      const auto hit = hn::Not(miss);
      auto first = hn::Set(ids, a.id[p][r]);
      auto second = broad::HWY_NAMESPACE::compress(ids, hn::LoadU(ids, b.id[q].data() + i), hit);
      if constexpr (which == First::lesser && corners_a == corners_b) {
        const auto smaller = hn::Min(first, second);
        second = hn::Max(first, second);
        first = smaller;
      }
      auto* const to = reinterpret_cast<std::uint32_t*>(pairs + found);
      if constexpr (which == First::lesser ? corners_a <= corners_b : which == First::of_a)
        hn::StoreInterleaved2(first, second, ids, to);
      else
        hn::StoreInterleaved2(second, first, ids, to);
      found += hn::CountTrue(ids, hit);
    }
  }
  return found;
}

// Calls meet(p, box of p, q, box of q) for packets of features, first <= p < last of `a` and q of
// `b`, whose boxes overlap; only for q >= p if the trees are the same.
template <class Boxes, class Tree, class Meet>
HWY_INLINE void walk(const Tree& a, const Tree& b, std::size_t first, std::size_t last,
                     Meet&& meet) {
  struct Place {
    std::size_t level, packet;
  };
  std::array<Place, 10 * width> stack;  // 16^8 = 2^32: fewer than ten levels
  for (std::size_t p = first; p < last; ++p) {
    const auto box = Boxes::lane(a.levels[1][p / width], p % width);
    std::size_t size = 0;
    stack[size++] = {b.levels.size() - 1, 0};
    while (size > 0) {
      const auto [level, packet] = stack[--size];
      const auto& boxes = b.levels[level][packet];
      unsigned bits = overlap_bits<Boxes>(boxes, box);
      if (&a == &b) {
        // Packets before p have already met packet p.
        const std::size_t child = p >> (std::size_t{std::countr_zero(width)} * (level - 1));
        const std::size_t begin = packet * width;
        if (child > begin) bits &= ~0u << std::min(child - begin, width);
      }
      for (; bits != 0; bits &= bits - 1) {
        const auto i = static_cast<std::size_t>(std::countr_zero(bits));
        const std::size_t q = packet * width + i;
        if (level > 1)
          stack[size++] = {level - 1, q};
        else
          meet(p, box, q, Boxes::lane(boxes, i));
      }
    }
  }
}

// Calls function(corners of a, corners of b) with compile-time constants.
template <class Tree, class Function>
HWY_INLINE void for_corners(const Tree& a, const Tree& b, Function&& function) {
  constexpr std::integral_constant<std::size_t, 1> one;
  constexpr std::integral_constant<std::size_t, 2> two;
  constexpr std::integral_constant<std::size_t, 3> three;
  if (b.corner_count == 3) return function(one, three);
  if (a.corner_count == 2) return function(two, two);
  if (b.corner_count == 2) return function(one, two);
  function(one, one);
}

}  // namespace graze::broad::tree::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
