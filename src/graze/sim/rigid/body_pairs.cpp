#include "graze/sim/rigid/body_pairs.h"

#include <algorithm>
#include <numeric>

namespace graze::sim::rigid {

std::vector<std::pair<std::uint32_t, std::uint32_t>> overlapping_pairs(
    std::span<const Aabb> boxes) {
  Vec3 sum = Vec3::Zero(), square = Vec3::Zero();
  for (const Aabb& box : boxes) {
    const Vec3 middle = box.lo / 2 + box.hi / 2;
    sum += middle;
    square += middle.cwiseAbs2();
  }
  Eigen::Index axis = 0;
  (square * static_cast<double>(boxes.size()) - sum.cwiseAbs2()).maxCoeff(&axis);
  std::vector<std::uint32_t> order(boxes.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t i, std::uint32_t j) {
    return std::pair(boxes[i].lo[axis], i) < std::pair(boxes[j].lo[axis], j);
  });
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const Aabb& box = boxes[order[k]];
    for (std::size_t l = k + 1; l < order.size(); ++l) {
      if (boxes[order[l]].lo[axis] > box.hi[axis]) break;
      if (overlap(box, boxes[order[l]])) pairs.push_back(std::minmax(order[k], order[l]));
    }
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

}  // namespace graze::sim::rigid
