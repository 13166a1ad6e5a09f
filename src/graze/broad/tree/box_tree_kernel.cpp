#include "graze/broad/tree/box_tree_kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "graze/broad/tree/box_tree_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "graze/broad/tree/packed_tree-inl.h"

HWY_BEFORE_NAMESPACE();
namespace graze::broad::tree::HWY_NAMESPACE {
namespace {

using Ranks = hn::RebindToSigned<Ids>;
using Tree = PackedTree<RankPacket>;

struct Boxes {
  struct Box {
    std::array<std::int32_t, 3> lo, hi;
  };

  static HWY_INLINE Box lane(const RankPacket& packet, std::size_t i) {
    return {{packet.lo[0][i], packet.lo[1][i], packet.lo[2][i]},
            {packet.hi[0][i], packet.hi[1][i], packet.hi[2][i]}};
  }

  static HWY_INLINE hn::Mask<Ranks> apart(const RankPacket& packet, std::size_t i, const Box& box) {
    return hn::Or(hn::Or(apart_along(packet, i, box, 0), apart_along(packet, i, box, 1)),
                  apart_along(packet, i, box, 2));
  }
  static HWY_INLINE hn::Mask<Ranks> apart_along(const RankPacket& packet, std::size_t i,
                                                const Box& box, std::size_t k) {
    const Ranks ranks;
    return hn::Or(hn::Gt(hn::Load(ranks, packet.lo[k].data() + i), hn::Set(ranks, box.hi[k])),
                  hn::Gt(hn::Set(ranks, box.lo[k]), hn::Load(ranks, packet.hi[k].data() + i)));
  }
};

void Find(const Tree& a, const Tree& b, std::size_t first, std::size_t last, PairBlock& block) {
  for_corners(a, b, [&](auto corners_a, auto corners_b) HWY_ATTR {
    walk<Boxes>(a, b, first, last, [&](auto p, const auto&, auto q, const auto& box_of_q) HWY_ATTR {
      const unsigned rows = overlap_bits<Boxes>(a.levels[0][p], box_of_q);
      Pair* const pairs = block.reserve(width * width + width);
      block.commit(match<Boxes, corners_a, corners_b, First::lesser>(a, p, rows, b, q, pairs));
    });
  });
}

}  // namespace
}  // namespace graze::broad::tree::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::broad::tree {

HWY_EXPORT(Find);

void find(const PackedTree<RankPacket>& a, const PackedTree<RankPacket>& b, std::size_t first,
          std::size_t last, PairBlock& block) {
  HWY_DYNAMIC_DISPATCH(Find)(a, b, first, last, block);
}

}  // namespace graze::broad::tree
#endif
