#include "graze/polyhedron/model/polygon_tree.h"

#include <algorithm>
#include <cmath>

namespace graze::polyhedron {
namespace {

double area(const Aabb& box) {
  const Vec3 size = box.hi / 2 - box.lo / 2;
  return size[0] * size[1] + size[1] * size[2] + size[2] * size[0];
}

struct Split {
  int axis = 3;
  double plane = 0;
};

// Returns the plane with the least expected work for a line through the cell: the number of boxes
// times the area, summed over both halves. Of many candidate planes a sample is tried.
Split best_split(std::span<const Aabb> boxes, const std::vector<std::uint32_t>& items,
                 const Aabb& cell) {
  constexpr std::size_t sample = 32;
  constexpr double step = 4;  // the cost of a descent, in boxes
  Split best;
  const double whole = area(cell);
  double least = static_cast<double>(items.size()) * whole;
  std::vector<double> lows(items.size()), highs(items.size());
  for (int axis = 0; axis < 3; ++axis) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      lows[i] = boxes[items[i]].lo[axis];
      highs[i] = boxes[items[i]].hi[axis];
    }
    std::sort(lows.begin(), lows.end());
    std::sort(highs.begin(), highs.end());
    for (const auto* bounds : {&lows, &highs})
      for (std::size_t i = 0; i < items.size(); i += items.size() / sample + 1) {
        const double plane = (*bounds)[i];
        if (!(plane > cell.lo[axis] && plane < cell.hi[axis])) continue;
        const auto below = std::upper_bound(lows.begin(), lows.end(), plane) - lows.begin();
        const auto above = highs.end() - std::lower_bound(highs.begin(), highs.end(), plane);
        Aabb lower = cell, upper = cell;
        lower.hi[axis] = upper.lo[axis] = plane;
        const double work = step * whole + static_cast<double>(below) * area(lower) +
                            static_cast<double>(above) * area(upper);
        if (!(work < least)) continue;
        least = work;
        best = {axis, plane};
      }
  }
  return best;
}

}  // namespace

PolygonTree::PolygonTree(std::span<const Aabb> boxes) {
  if (boxes.empty()) return;
  std::vector<std::uint32_t> all(boxes.size());
  Aabb cell = boxes[0];
  for (std::uint32_t i = 0; i < boxes.size(); ++i) {
    all[i] = i;
    cell.include(boxes[i]);
  }
  nodes_.emplace_back();
  build(boxes, 0, std::move(all), cell, 0);
}

void PolygonTree::build(std::span<const Aabb> boxes, std::uint32_t node,
                        std::vector<std::uint32_t> items, const Aabb& cell, std::size_t depth) {
  const Split split =
      items.size() > 2 && depth < max_depth ? best_split(boxes, items, cell) : Split();
  if (split.axis == 3) {
    nodes_[node] = {0, static_cast<std::uint32_t>(items_.size()),
                    static_cast<std::uint32_t>(items.size()) & 0x3fffffff, 3};
    items_.insert(items_.end(), items.begin(), items.end());
    return;
  }
  const auto child = static_cast<std::uint32_t>(nodes_.size());
  nodes_.resize(nodes_.size() + 2);
  nodes_[node] = {split.plane, child, 0, static_cast<std::uint32_t>(split.axis) & 3};
  std::vector<std::uint32_t> below, above;
  for (const std::uint32_t item : items) {
    if (boxes[item].lo[split.axis] <= split.plane) below.push_back(item);
    if (boxes[item].hi[split.axis] >= split.plane) above.push_back(item);
  }
  std::vector<std::uint32_t>().swap(items);
  Aabb lower = cell, upper = cell;
  lower.hi[split.axis] = upper.lo[split.axis] = split.plane;
  build(boxes, child, std::move(below), lower, depth + 1);
  build(boxes, child + 1, std::move(above), upper, depth + 1);
}

}  // namespace graze::polyhedron
