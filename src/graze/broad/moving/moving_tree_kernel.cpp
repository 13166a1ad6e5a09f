#include "graze/broad/moving/moving_tree_kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "graze/broad/moving/moving_tree_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "graze/broad/moving/crossing-inl.h"
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
// directions for all of them and passes on the pairs that no direction keeps apart. Pairs whose
// boxes overlap at the start of the slab are tested for crossings.
template <Bounds bounds, std::size_t corners_a, std::size_t corners_b, std::size_t frames>
class Candidates {
 public:
  using MovingTree = tree::MovingTree<bounds>;
  using Boxes = HWY_NAMESPACE::Boxes<bounds>;
  using Box = typename Boxes::Box;
  using MovingPairs = HWY_NAMESPACE::MovingPairs<corners_a, corners_b, frames>;

  HWY_INLINE Candidates(const MovingTree& a, const MovingTree& b, const MovingBounds& positions,
                        PairBlock* found, CrossingTests* crossings)
      : a_(a), b_(b), positions_(positions), found_(found), crossings_(crossings) {}

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
    Pair* const to = found_ ? found_->reserve(size_) : nullptr;
    std::size_t found = 0;
    for (std::size_t first = 0; first < size_; first += hn::Lanes(Floats())) {
      const std::size_t count = std::min(hn::Lanes(Floats()), size_ - first);
      MovingPairs moving;
      Lanes<std::uint32_t> least_ids;  // the smaller id of two edges, or the id of a vertex
      for (std::size_t i = 0; i < hn::Lanes(Floats()); ++i) {
        const auto [a, b] = pairs_[first + std::min(i, count - 1)];
        if constexpr (corners_a != corners_b) {
          least_ids[i] = a_.order[a];
          moving.set(i, corners_of<corners_a>(a_, a), corners_of<corners_b>(b_, b));
        } else {
          // Of two features of one kind the smaller id comes first: the rounding of the search for
          // a direction, and so the answer, must not depend on their places in the trees.
          const bool swap = b_.order[b] < a_.order[a];
          least_ids[i] = swap ? b_.order[b] : a_.order[a];
          const MovingTree *const x = swap ? &b_ : &a_, *const y = swap ? &a_ : &b_;
          moving.set(i, corners_of<corners_a>(*x, swap ? b : a),
                     corners_of<corners_b>(*y, swap ? a : b));
        }
      }
      moving.load();
      if (crossings_) test_crossings(moving, least_ids, first, (1u << count) - 1);
      if (!found_) continue;
      const unsigned apart = moving.apart();
      for (std::size_t i = 0; i < count; ++i) {
        const auto [a, b] = pairs_[first + i];
        const std::uint32_t id_a = a_.order[a], id_b = b_.order[b];
        to[found] = corners_a != corners_b || id_a < id_b ? Pair{id_a, id_b} : Pair{id_b, id_a};
        found += !(apart >> i & 1);
      }
    }
    if (found_) found_->commit(found);
    size_ = 0;
  }

 private:
  // Tests the pairs from `first` on whose bits are set and whose boxes overlap at the start.
  HWY_INLINE void test_crossings(const MovingPairs& moving, const Lanes<std::uint32_t>& least_ids,
                                 std::size_t first, unsigned bits) {
    if constexpr (corners_a == 2 && corners_b == 2) {
      bits = crossings_->needed_edges(least_ids, bits);
      if (bits == 0) return;
      for (bits &= moving.overlap_at_begin(); bits != 0; bits &= bits - 1) {
        const auto [a, b] = pairs_[first + static_cast<std::size_t>(std::countr_zero(bits))];
        crossings_->add_edges(a, b);
      }
    }
    if constexpr (corners_a == 1 && corners_b == 3) {
      bits = crossings_->needed_vertices(least_ids, bits);
      if (bits == 0) return;
      bits &= moving.overlap_at_begin() & ~moving.in_box_of_side();
      for (; bits != 0; bits &= bits - 1) {
        const auto [a, b] = pairs_[first + static_cast<std::size_t>(std::countr_zero(bits))];
        std::array<std::uint32_t, 3> corners;
        for (std::size_t c = 0; c < 3; ++c) corners[c] = b_.corners[c][b / width][b % width];
        crossings_->test_vertex(a_.corners[0][a / width][a % width], b_.order[b], corners);
      }
    }
  }

  template <std::size_t corners>
  HWY_INLINE std::array<const float*, corners> corners_of(const MovingTree& tree,
                                                          std::size_t feature) const {
    std::array<const float*, corners> result;
    for (std::size_t c = 0; c < corners; ++c) {
      const std::uint32_t place = tree.corners[c][feature / width][feature % width];
      if constexpr (frames == 2)
        result[c] = positions_.lo()[place].data();
      else
        result[c] = positions_.controls()[place].data();
    }
    return result;
  }

  static constexpr std::size_t room = width * width + width;
  const MovingTree &a_, &b_;
  const MovingBounds& positions_;
  PairBlock* const found_;
  CrossingTests* const crossings_;
  std::array<Pair, 4 * room> pairs_;
  std::size_t size_ = 0;
};

template <std::size_t frames, Bounds bounds>
HWY_INLINE void find_among(const MovingTree<bounds>& a, const MovingTree<bounds>& b,
                           const MovingBounds& positions, std::size_t first, std::size_t last,
                           PairBlock* pairs, const CrossingSearch* search) {
  CrossingTests crossings(search);
  for_corners(a, b, [&](auto corners_a, auto corners_b) HWY_ATTR {
    Candidates<bounds, corners_a, corners_b, frames> candidates(a, b, positions, pairs,
                                                                search ? &crossings : nullptr);
    walk<Boxes<bounds>>(a, b, first, last,
                        [&](auto p, const auto& box_of_p, auto q, const auto& box_of_q)
                            HWY_ATTR { candidates.add(p, box_of_p, q, box_of_q); });
    candidates.flush();
  });
  if (search) crossings.flush();
}

// Returns the index of the edge with the smaller end `at` and the larger end `end`; no_edge if
// there is none.
HWY_INLINE std::uint32_t find_edge(const Wedges& edges, std::uint32_t at, std::uint32_t end) {
  const Ids ids;
  const std::uint32_t last = edges.first()[at + 1];
  for (std::uint32_t i = edges.first()[at]; i < last;
       i += static_cast<std::uint32_t>(hn::Lanes(ids))) {
    const unsigned bits =
        bits_at(hn::Eq(hn::LoadU(ids, edges.larger_ends() + i), hn::Set(ids, end)), 0);
    const std::uint32_t edge = i + static_cast<std::uint32_t>(std::countr_zero(bits));
    if (bits != 0) return edge < last ? edge : no_edge;
  }
  return no_edge;
}

template <Bounds bounds>
HWY_INLINE void add_each_face(const MovingTree<bounds>& faces, Wedges& edges) {
  for (std::size_t i = 0; i < faces.size; ++i) {
    const auto at = [&](std::size_t c) HWY_ATTR { return faces.corners[c][i / width][i % width]; };
    const std::uint32_t x = at(0), y = at(1), z = at(2);
    const std::uint32_t a = std::min(x, std::min(y, z)), c = std::max(x, std::max(y, z)),
                        b = x ^ y ^ z ^ a ^ c;
    if (a == b || b == c) continue;
    const std::uint32_t face = faces.order[i];
    const bool odd = (x < y) + (y < z) + (z < x) == 1;  // a, b, c run against x, y, z
    const auto add = [&](std::uint32_t smaller, std::uint32_t larger, std::uint32_t apex,
                         bool backward) HWY_ATTR {
      const std::uint32_t edge = find_edge(edges, smaller, larger);
      if (edge != no_edge) edges.add_face(edge, backward, apex, face);
    };
    add(a, b, c, odd);
    add(b, c, a, odd);
    add(a, c, b, !odd);
  }
}

void AddFacesSwept(const MovingTree<Bounds::swept>& faces, Wedges& edges) {
  add_each_face(faces, edges);
}
void AddFacesAtBothEnds(const MovingTree<Bounds::at_both_ends>& faces, Wedges& edges) {
  add_each_face(faces, edges);
}

void FindSwept(const MovingTree<Bounds::swept>& a, const MovingTree<Bounds::swept>& b,
               const MovingBounds& positions, std::size_t first, std::size_t last, PairBlock* pairs,
               const CrossingSearch* crossings) {
  find_among<2>(a, b, positions, first, last, pairs, crossings);
}
void FindAtBothEnds(const MovingTree<Bounds::at_both_ends>& a,
                    const MovingTree<Bounds::at_both_ends>& b, const MovingBounds& positions,
                    std::size_t first, std::size_t last, PairBlock* pairs,
                    const CrossingSearch* crossings) {
  if (positions.controls().empty())
    find_among<2>(a, b, positions, first, last, pairs, crossings);
  else
    find_among<4>(a, b, positions, first, last, pairs, crossings);
}

}  // namespace
}  // namespace graze::broad::tree::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::broad::tree {

HWY_EXPORT(FindSwept);
HWY_EXPORT(FindAtBothEnds);
HWY_EXPORT(AddFacesSwept);
HWY_EXPORT(AddFacesAtBothEnds);

void find(const MovingTree<Bounds::swept>& a, const MovingTree<Bounds::swept>& b,
          const MovingBounds& positions, std::size_t first, std::size_t last, PairBlock* pairs,
          const CrossingSearch* crossings) {
  HWY_DYNAMIC_DISPATCH(FindSwept)(a, b, positions, first, last, pairs, crossings);
}
void find(const MovingTree<Bounds::at_both_ends>& a, const MovingTree<Bounds::at_both_ends>& b,
          const MovingBounds& positions, std::size_t first, std::size_t last, PairBlock* pairs,
          const CrossingSearch* crossings) {
  HWY_DYNAMIC_DISPATCH(FindAtBothEnds)(a, b, positions, first, last, pairs, crossings);
}

void add_faces(const MovingTree<Bounds::swept>& faces, Wedges& edges) {
  HWY_DYNAMIC_DISPATCH(AddFacesSwept)(faces, edges);
}
void add_faces(const MovingTree<Bounds::at_both_ends>& faces, Wedges& edges) {
  HWY_DYNAMIC_DISPATCH(AddFacesAtBothEnds)(faces, edges);
}

}  // namespace graze::broad::tree
#endif
