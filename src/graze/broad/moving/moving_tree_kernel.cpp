#include "graze/broad/moving/moving_tree_kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "graze/broad/moving/moving_tree_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "graze/broad/moving/separating_direction-inl.h"
#include "graze/broad/tree/packed_tree-inl.h"

HWY_BEFORE_NAMESPACE();
namespace graze::broad::tree::HWY_NAMESPACE {
namespace {

// Overlap of boxes at both ends of the slab or of swept boxes.
template <Bounds bounds>
struct Boxes {
  using MovingPacket = tree::MovingPacket<bounds>;
  struct Box {  // lane i of a packet
    const MovingPacket& packet;
    std::size_t i;
  };

  static HWY_INLINE Box lane(const MovingPacket& packet, std::size_t i) { return {packet, i}; }

  static HWY_INLINE hn::Mask<Floats> apart(const MovingPacket& packet, std::size_t i,
                                           const Box& box) {
    return hn::Or(hn::Or(apart_along(packet, i, box, 0), apart_along(packet, i, box, 1)),
                  apart_along(packet, i, box, 2));
  }

 private:
  static HWY_INLINE hn::Mask<Floats> apart_along(const MovingPacket& packet, std::size_t i,
                                                 const Box& box, std::size_t axis) {
    auto above = is_above(packet, i, box, axis), below = is_below(packet, i, box, axis);
    if constexpr (bounds == Bounds::at_both_ends) {
      above = hn::And(above, is_above(packet, i, box, axis + 3));
      below = hn::And(below, is_below(packet, i, box, axis + 3));
    }
    return hn::Or(above, below);
  }
  static HWY_INLINE hn::Mask<Floats> is_above(const MovingPacket& packet, std::size_t i,
                                              const Box& box, std::size_t k) {
    const Floats floats;
    return hn::Gt(hn::Load(floats, packet.lo[k].data() + i),
                  hn::Set(floats, box.packet.hi[k][box.i]));
  }
  static HWY_INLINE hn::Mask<Floats> is_below(const MovingPacket& packet, std::size_t i,
                                              const Box& box, std::size_t k) {
    const Floats floats;
    return hn::Gt(hn::Set(floats, box.packet.lo[k][box.i]),
                  hn::Load(floats, packet.hi[k].data() + i));
  }
};

// Collects pairs, by their indices in the trees, that no axis keeps apart. flush() searches other
// directions for all of them and passes on the pairs that no direction keeps apart.
template <Bounds bounds, std::size_t corners_a, std::size_t corners_b>
class Candidates {
 public:
  using MovingTree = tree::MovingTree<bounds>;
  using Boxes = HWY_NAMESPACE::Boxes<bounds>;
  using Box = typename Boxes::Box;

  HWY_INLINE Candidates(const MovingTree& a, const MovingTree& b, const MovingBounds& positions,
                        PairBlock& block)
      : a_(a), b_(b), positions_(positions), block_(block) {}

  // Adds the pairs of packet p of `a` and packet q of `b`, row by row or column by column,
  // whichever are fewer.
  HWY_INLINE void add(std::size_t p, const Box& box_of_p, std::size_t q, const Box& box_of_q) {
    const unsigned rows = overlap_bits<Boxes>(a_.levels[0][p], box_of_q);
    const unsigned columns = overlap_bits<Boxes>(b_.levels[0][q], box_of_p);
    if (rows == 0 || columns == 0) return;
    Pair* const to = pairs_.data() + size_;
    size_ += std::popcount(rows) <= std::popcount(columns)
                 ? match<Boxes, corners_a, corners_b, First::of_a>(a_, p, rows, b_, q, to)
                 : match<Boxes, corners_b, corners_a, First::of_b>(b_, q, columns, a_, p, to);
    if (size_ > pairs_.size() - room) flush();
  }

  HWY_INLINE void flush() {
    Pair* const to = block_.reserve(size_);
    std::size_t found = 0;
    for (std::size_t first = 0; first < size_; first += hn::Lanes(Floats())) {
      const std::size_t count = std::min(hn::Lanes(Floats()), size_ - first);
      MovingPairs<corners_a, corners_b> moving;
      for (std::size_t i = 0; i < hn::Lanes(Floats()); ++i) {
        const auto [a, b] = pairs_[first + std::min(i, count - 1)];
        // Of two features of one kind the smaller id comes first: the rounding of the search for a
        // direction, and so the answer, must not depend on their places in the trees.
        if constexpr (corners_a == corners_b)
          if (b_.order[b] < a_.order[a]) {
            moving.set(i, corners_of<corners_b>(b_, b), corners_of<corners_a>(a_, a));
            continue;
          }
        moving.set(i, corners_of<corners_a>(a_, a), corners_of<corners_b>(b_, b));
      }
      const unsigned apart = moving.apart();
      for (std::size_t i = 0; i < count; ++i) {
        const auto [a, b] = pairs_[first + i];
        const std::uint32_t id_a = a_.order[a], id_b = b_.order[b];
        to[found] = corners_a != corners_b || id_a < id_b ? Pair{id_a, id_b} : Pair{id_b, id_a};
        found += !(apart >> i & 1);
      }
    }
    block_.commit(found);
    size_ = 0;
  }

 private:
  template <std::size_t corners>
  HWY_INLINE std::array<const float*, corners> corners_of(const MovingTree& tree,
                                                          std::size_t feature) const {
    std::array<const float*, corners> result;
    for (std::size_t c = 0; c < corners; ++c)
      result[c] = positions_.lo()[tree.corners[c][feature / width][feature % width]].data();
    return result;
  }

  static constexpr std::size_t room = width * width + width;
  const MovingTree &a_, &b_;
  const MovingBounds& positions_;
  PairBlock& block_;
  std::array<Pair, 4 * room> pairs_;
  std::size_t size_ = 0;
};

template <Bounds bounds>
HWY_INLINE void find_among(const MovingTree<bounds>& a, const MovingTree<bounds>& b,
                           const MovingBounds& positions, std::size_t first, std::size_t last,
                           PairBlock& block) {
  for_corners(a, b, [&](auto corners_a, auto corners_b) HWY_ATTR {
    Candidates<bounds, corners_a, corners_b> candidates(a, b, positions, block);
    walk<Boxes<bounds>>(a, b, first, last,
                        [&](auto p, const auto& box_of_p, auto q, const auto& box_of_q)
                            HWY_ATTR { candidates.add(p, box_of_p, q, box_of_q); });
    candidates.flush();
  });
}

void FindSwept(const MovingTree<Bounds::swept>& a, const MovingTree<Bounds::swept>& b,
               const MovingBounds& positions, std::size_t first, std::size_t last,
               PairBlock& block) {
  find_among(a, b, positions, first, last, block);
}
void FindAtBothEnds(const MovingTree<Bounds::at_both_ends>& a,
                    const MovingTree<Bounds::at_both_ends>& b, const MovingBounds& positions,
                    std::size_t first, std::size_t last, PairBlock& block) {
  find_among(a, b, positions, first, last, block);
}

}  // namespace
}  // namespace graze::broad::tree::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::broad::tree {

HWY_EXPORT(FindSwept);
HWY_EXPORT(FindAtBothEnds);

void find(const MovingTree<Bounds::swept>& a, const MovingTree<Bounds::swept>& b,
          const MovingBounds& positions, std::size_t first, std::size_t last, PairBlock& block) {
  HWY_DYNAMIC_DISPATCH(FindSwept)(a, b, positions, first, last, block);
}
void find(const MovingTree<Bounds::at_both_ends>& a, const MovingTree<Bounds::at_both_ends>& b,
          const MovingBounds& positions, std::size_t first, std::size_t last, PairBlock& block) {
  HWY_DYNAMIC_DISPATCH(FindAtBothEnds)(a, b, positions, first, last, block);
}

}  // namespace graze::broad::tree
#endif
