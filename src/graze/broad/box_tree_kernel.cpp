#include "graze/broad/box_tree_kernel.h"

#include <algorithm>
#include <bit>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "graze/broad/box_tree_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace graze::tree::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Ranks = hn::CappedTag<std::int32_t, width>;
using Ids = hn::RebindToUnsigned<Ranks>;

struct Box {
  std::array<std::int32_t, 3> lo, hi;
};

HWY_INLINE Box lane(const Packet& packet, std::size_t i) {
  return {{packet.lo[0][i], packet.lo[1][i], packet.lo[2][i]},
          {packet.hi[0][i], packet.hi[1][i], packet.hi[2][i]}};
}

// Which of the packet's boxes, from lane `i` on, overlap the box.
HWY_INLINE auto overlap(const Packet& packet, std::size_t i, const Box& box) {
  const Ranks ranks;
  const auto apart = [&](std::size_t k) HWY_ATTR {
    return hn::Or(hn::Gt(hn::Load(ranks, packet.lo[k].data() + i), hn::Set(ranks, box.hi[k])),
                  hn::Gt(hn::Set(ranks, box.lo[k]), hn::Load(ranks, packet.hi[k].data() + i)));
  };
  return hn::Not(hn::Or(hn::Or(apart(0), apart(1)), apart(2)));
}

HWY_INLINE unsigned overlap_bits(const Packet& packet, const Box& box) {
  unsigned bits = 0;
  for (std::size_t i = 0; i < width; i += hn::Lanes(Ranks())) {
    std::uint8_t part[8] = {};
    hn::StoreMaskBits(Ranks(), overlap(packet, i, box), part);
    bits |= (unsigned{part[0]} | unsigned{part[1]} << 8) << i;
  }
  return bits;
}

// Packet p of `a` with packet q of `b`, which is the same one where `same`.
template <std::size_t corners_a, std::size_t corners_b>
HWY_INLINE void match(const PackedTree& a, std::size_t p, const PackedTree& b, std::size_t q,
                      const Box& box_of_q, bool same, PairBlock& block) {
  const Ids ids;
  const Packet &rows = a.levels[0][p], &columns = b.levels[0][q];
  Pair* const pairs = block.reserve(width * width + width);
  std::size_t found = 0;
  for (unsigned rest = overlap_bits(rows, box_of_q); rest != 0; rest &= rest - 1) {
    const auto r = static_cast<std::size_t>(std::countr_zero(rest));
    const Box row = lane(rows, r);
    for (std::size_t i = 0; i < width; i += hn::Lanes(ids)) {
      auto hit = hn::RebindMask(ids, overlap(columns, i, row));
      if (same) hit = hn::AndNot(hn::FirstN(ids, r + 1 > i ? r + 1 - i : 0), hit);
      for (std::size_t c = 0; c < corners_b; ++c) {
        const auto corner = hn::LoadU(ids, b.corners[c][q].data() + i);
        for (std::size_t k = 0; k < corners_a; ++k)
          hit = hn::AndNot(hn::Eq(corner, hn::Set(ids, a.corners[k][p][r])), hit);
      }
      auto first = hn::Set(ids, a.id[p][r]);
      auto second = hn::Compress(hn::LoadU(ids, b.id[q].data() + i), hit);
      if (corners_a == corners_b) {
        const auto smaller = hn::Min(first, second);
        second = hn::Max(first, second);
        first = smaller;
      }
      hn::StoreInterleaved2(first, second, ids, reinterpret_cast<std::uint32_t*>(pairs + found));
      found += hn::CountTrue(ids, hit);
    }
  }
  block.commit(found);
}

template <std::size_t corners_a, std::size_t corners_b>
HWY_INLINE void find_of(const PackedTree& a, const PackedTree& b, std::size_t first,
                        std::size_t last, PairBlock& block) {
  const bool same = &a == &b;
  struct Place {
    std::size_t level, packet;
  };
  std::array<Place, 10 * width> stack;  // 16^8 = 2^32: fewer than ten levels
  for (std::size_t p = first; p < last; ++p) {
    const Box box = lane(a.levels[1][p / width], p % width);
    std::size_t size = 0;
    stack[size++] = {b.levels.size() - 1, 0};
    while (size > 0) {
      const auto [level, packet] = stack[--size];
      const Packet& boxes = b.levels[level][packet];
      unsigned bits = overlap_bits(boxes, box);
      if (same) {
        // What lies before packet p has met it already.
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
          match<corners_a, corners_b>(a, p, b, q, lane(boxes, i), same && p == q, block);
      }
    }
  }
}

void Find(const PackedTree& a, const PackedTree& b, std::size_t first, std::size_t last,
          PairBlock& block) {
  if (b.corner_count == 3) return find_of<1, 3>(a, b, first, last, block);
  if (a.corner_count == 2) return find_of<2, 2>(a, b, first, last, block);
  if (b.corner_count == 2) return find_of<1, 2>(a, b, first, last, block);
  find_of<1, 1>(a, b, first, last, block);
}

}  // namespace
}  // namespace graze::tree::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::tree {

HWY_EXPORT(Find);

void find(const PackedTree& a, const PackedTree& b, std::size_t first, std::size_t last,
          PairBlock& block) {
  HWY_DYNAMIC_DISPATCH(Find)(a, b, first, last, block);
}

}  // namespace graze::tree
#endif
