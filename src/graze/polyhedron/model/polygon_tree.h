#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "graze/aabb.h"

namespace graze::polyhedron {

// A closed box that moves by f way.
struct BoxMotion {
  Aabb box;
  Vec3 way, per_way;  // per_way: the inverse of the way; infinite where the way is 0
  Aabb swept;         // rounded outwards: sums err by half an ulp and are widened by one or two

  BoxMotion(const Aabb& b, const Vec3& w) : box(b), way(w), per_way(w.cwiseInverse()) {
    const Vec3 lo = b.lo + w.cwiseMin(0.), hi = b.hi + w.cwiseMax(0.);
    swept = {lo - 0x1p-52 * lo.cwiseAbs(), hi + 0x1p-52 * hi.cwiseAbs()};
  }
};

// A span of times; empty if from > to.
struct TimeSpan {
  double from, to;

  bool is_empty() const { return !(from <= to); }
  // Keeps the times at which the box meets the half-space x[axis] <= at (above: >=), rounded
  // outward: a difference times a rounded inverse, which may be denormal, is off by less than 2^-50
  // of itself or by less than the smallest normal number.
  void clip(bool above, double at, const BoxMotion& motion, int axis) {
    // gap <= 0: the box meets the half-space at the start.
    const double gap = above ? at - motion.box.hi[axis] : motion.box.lo[axis] - at;
    if (motion.way[axis] == 0) {
      if (gap > 0) to = -1;
      return;
    }
    const double f = above ? gap * motion.per_way[axis] : -gap * motion.per_way[axis];
    const double slack = 0x1p-50 * std::abs(f) + std::numeric_limits<double>::min();
    if ((motion.way[axis] > 0) == above)
      from = f - slack > from ? f - slack : from;
    else
      to = f + slack < to ? f + slack : to;
  }
};

// A tree of axis-parallel planes, each through a side of a box ([van Waveren 2005] 5). A box that
// crosses a plane is in both halves. Immutable.
class PolygonTree {
 public:
  PolygonTree() = default;
  explicit PolygonTree(std::span<const Aabb> boxes);

  // Calls visit_entry(entry) for the entries of the cells that a box meets while it moves by f way,
  // f from 0 to `end`, roughly in order of f. `end` may shrink during the call. An entry is a box
  // in a cell, box_of(entry); a box may have several entries. The entries of a cell are contiguous.
  template <class Visit>
  void visit(const BoxMotion& motion, const double& end, const Visit& visit_entry) const {
    if (nodes_.empty()) return;
    struct Entry {
      std::uint32_t node;
      TimeSpan time;
    };
    std::array<Entry, max_depth + 1> stack;
    std::size_t size = 0;
    Entry now{0, {0, end}};
    for (;;) {
      const Node& node = nodes_[now.node];
      if (node.axis < 3) {
        const int k = node.axis;
        if (motion.swept.hi[k] < node.plane || motion.swept.lo[k] > node.plane) {
          now.node = node.first + (motion.swept.lo[k] > node.plane);
          continue;
        }
        TimeSpan below = now.time, above = now.time;
        below.clip(false, node.plane, motion, k);
        above.clip(true, node.plane, motion, k);
        const bool down = motion.way[k] < 0;
        const Entry first{node.first + down, down ? above : below};
        const Entry last{node.first + !down, down ? below : above};
        if (!first.time.is_empty()) {
          if (!last.time.is_empty()) stack[size++] = last;
          now = first;
          continue;
        }
        if (!last.time.is_empty()) {
          now = last;
          continue;
        }
      } else {
        for (std::uint32_t i = 0; i < node.count; ++i) visit_entry(node.first + i);
      }
      do {
        if (size == 0) return;
        now = stack[--size];
      } while (now.time.from > end);
    }
  }

  std::size_t entries() const { return items_.size(); }
  std::uint32_t box_of(std::uint32_t entry) const { return items_[entry]; }

 private:
  static constexpr std::size_t max_depth = 60;

  struct Node {
    double plane;
    std::uint32_t first;       // the child below, followed by that above; of a leaf: the first item
    std::uint32_t count : 30;  // items of a leaf
    std::uint32_t axis : 2;    // 3: a leaf
  };

  void build(std::span<const Aabb> boxes, std::uint32_t node, std::vector<std::uint32_t> items,
             const Aabb& cell, std::size_t depth);

  std::vector<Node> nodes_;
  std::vector<std::uint32_t> items_;
};

}  // namespace graze::polyhedron
