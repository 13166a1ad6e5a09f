#include "graze/broad/moving_tree_kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "graze/broad/moving_tree_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "graze/broad/packed_tree-inl.h"

HWY_BEFORE_NAMESPACE();
namespace graze::tree::HWY_NAMESPACE {
namespace {

using Floats = hn::RebindToFloat<Ids>;

// moves: boxes at both ends of the slab; else the boxes swept between.
template <bool moves>
struct Boxes {
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
    if constexpr (moves) {
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

// The diagonals' bounds of a feature, from lane i on.
template <std::size_t corners>
struct Diagonals {
  const float *lo[corners], *hi[corners];

  HWY_INLINE Diagonals(const MovingTree& tree, std::size_t feature, const MovingBounds& bounds) {
    for (std::size_t c = 0; c < corners; ++c) {
      const std::uint32_t corner = tree.corners[c][feature / width][feature % width];
      lo[c] = bounds.diagonals_lo()[corner].data();
      hi[c] = bounds.diagonals_hi()[corner].data();
    }
  }
  HWY_INLINE void prefetch() const {
    for (std::size_t c = 0; c < corners; ++c) {
      __builtin_prefetch(lo[c]);
      __builtin_prefetch(hi[c]);
    }
  }
  HWY_INLINE auto lower(std::size_t i) const {
    auto least = hn::Load(Floats(), lo[0] + i);
    for (std::size_t c = 1; c < corners; ++c) least = hn::Min(least, hn::Load(Floats(), lo[c] + i));
    return least;
  }
  HWY_INLINE auto upper(std::size_t i) const {
    auto most = hn::Load(Floats(), hi[0] + i);
    for (std::size_t c = 1; c < corners; ++c) most = hn::Max(most, hn::Load(Floats(), hi[c] + i));
    return most;
  }
};

// Whether a diagonal keeps them apart: the same one is ahead at both ends.
template <class A, class B>
HWY_INLINE bool apart(const A& a, const B& b) {
  unsigned above = 0, below = 0;
  for (std::size_t i = 0; i < width; i += hn::Lanes(Floats())) {
    above |= bits_at(hn::Gt(a.lower(i), b.upper(i)), i);
    below |= bits_at(hn::Gt(b.lower(i), a.upper(i)), i);
  }
  return ((above & above >> width / 2) | (below & below >> width / 2)) & ((1u << width / 2) - 1);
}

// Pairs that no axis keeps apart, by their numbers in the trees, waiting to be asked the diagonals.
template <class Boxes, std::size_t corners_a, std::size_t corners_b>
class Candidates {
 public:
  using Box = typename Boxes::Box;

  HWY_INLINE Candidates(const MovingTree& a, const MovingTree& b, const MovingBounds& bounds,
                        PairBlock& block)
      : a_(a), b_(b), bounds_(bounds), block_(block) {}

  // Packet p of `a` with packet q of `b`: by rows or by columns, whichever are fewer.
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
    constexpr std::size_t ahead = 12;
    for (std::size_t i = 0; i < size_; ++i) {
      const auto [next_a, next_b] = pairs_[std::min(i + ahead, size_ - 1)];
      Diagonals<corners_a>(a_, next_a, bounds_).prefetch();
      Diagonals<corners_b>(b_, next_b, bounds_).prefetch();
      const auto [a, b] = pairs_[i];
      const std::uint32_t id_a = a_.order[a], id_b = b_.order[b];
      to[found] = corners_a != corners_b || id_a < id_b ? Pair{id_a, id_b} : Pair{id_b, id_a};
      found += !apart(Diagonals<corners_a>(a_, a, bounds_), Diagonals<corners_b>(b_, b, bounds_));
    }
    block_.commit(found);
    size_ = 0;
  }

 private:
  static constexpr std::size_t room = width * width + width;
  const MovingTree &a_, &b_;
  const MovingBounds& bounds_;
  PairBlock& block_;
  std::array<Pair, 4 * room> pairs_;
  std::size_t size_ = 0;
};

template <class Boxes>
HWY_INLINE void find_among(const MovingTree& a, const MovingTree& b, const MovingBounds& bounds,
                           std::size_t first, std::size_t last, PairBlock& block) {
  for_corners(a, b, [&](auto corners_a, auto corners_b) HWY_ATTR {
    Candidates<Boxes, corners_a, corners_b> candidates(a, b, bounds, block);
    walk<Boxes>(a, b, first, last,
                [&](auto p, const auto& box_of_p, auto q, const auto& box_of_q)
                    HWY_ATTR { candidates.add(p, box_of_p, q, box_of_q); });
    candidates.flush();
  });
}

void Find(const MovingTree& a, const MovingTree& b, const MovingBounds& bounds, std::size_t first,
          std::size_t last, PairBlock& block) {
  if (a.moves)
    find_among<Boxes<true>>(a, b, bounds, first, last, block);
  else
    find_among<Boxes<false>>(a, b, bounds, first, last, block);
}

}  // namespace
}  // namespace graze::tree::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::tree {

HWY_EXPORT(Find);

void find(const MovingTree& a, const MovingTree& b, const MovingBounds& bounds, std::size_t first,
          std::size_t last, PairBlock& block) {
  HWY_DYNAMIC_DISPATCH(Find)(a, b, bounds, first, last, block);
}

}  // namespace graze::tree
#endif
