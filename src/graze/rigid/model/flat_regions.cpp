#include "graze/rigid/model/flat_regions.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "graze/core/numeric/strict_arithmetic.h"

namespace graze::rigid {
namespace {

// Returns whether at least half of the faces probably lie in a plane with others: a fast test that
// curved surfaces fail.
bool seems_flat(std::span<const Vec3> normals, std::span<const Vec3> centroids) {
  std::vector<std::uint32_t> keys(normals.size());
  std::uint32_t size = 1;
  while (size < 2 * normals.size()) size *= 2;
  std::vector<std::uint8_t> count(size);
  for (std::size_t f = 0; f < normals.size(); ++f) {
    std::uint32_t key = 0;
    const Vec3& n = normals[f];
    for (const double x : {n[0], n[1], n[2], n.dot(centroids[f])})
      key = key * 0x9E3779B1u + static_cast<std::uint32_t>(std::lrint(4096 * x));
    keys[f] = (key ^ (key >> 15)) & (size - 1);
    count[keys[f]] = static_cast<std::uint8_t>(std::min(count[keys[f]] + 1, 4));
  }
  const auto shared =
      std::count_if(keys.begin(), keys.end(), [&](std::uint32_t key) { return count[key] >= 4; });
  return 2 * static_cast<std::size_t>(shared) >= normals.size();
}

struct RegionBox {
  Vec3 lo = Vec3::Constant(HUGE_VAL), hi = Vec3::Constant(-HUGE_VAL);

  void add(const RegionBox& other) {
    lo = lo.cwiseMin(other.lo);
    hi = hi.cwiseMax(other.hi);
  }
  double area() const {
    const Vec3 d = hi - lo;
    return d[0] * d[1] + d[1] * d[2] + d[2] * d[0];
  }
};

// Divides regions, which it refers to by their numbers.
class RegionDivider {
 public:
  explicit RegionDivider(std::vector<RegionBox> boxes)
      : boxes_(std::move(boxes)), order_(boxes_.size()), rest_(boxes_.size()) {
    std::iota(order_.begin(), order_.end(), 0u);
    divide(0, order_.size(), 0);
  }
  const std::vector<std::uint32_t>& order() const { return order_; }
  std::vector<std::uint32_t>& cuts() { return cuts_; }

 private:
  void sort(std::size_t begin, std::size_t end, Eigen::Index axis) {
    const auto key = [&](std::uint32_t i) {
      return std::pair(boxes_[i].lo[axis] + boxes_[i].hi[axis], i);
    };
    std::sort(order_.begin() + static_cast<std::ptrdiff_t>(begin),
              order_.begin() + static_cast<std::ptrdiff_t>(end),
              [&](std::uint32_t i, std::uint32_t j) { return key(i) < key(j); });
  }

  // Deep trees are divided in the middle, so that the depth stays small.
  void divide(std::size_t begin, std::size_t end, int depth) {
    if (end - begin < 2) return;
    double best = std::numeric_limits<double>::infinity();
    std::size_t cut = begin + (end - begin) / 2;
    Eigen::Index best_axis = 0;
    for (Eigen::Index axis = 0; axis < 3 && depth < 48; ++axis) {
      sort(begin, end, axis);
      RegionBox box;
      for (std::size_t i = end; i-- > begin;) {
        box.add(boxes_[order_[i]]);
        rest_[i] = box.area();
      }
      box = {};
      for (std::size_t i = begin; i + 1 < end; ++i) {
        box.add(boxes_[order_[i]]);
        const double cost = box.area() * static_cast<double>(i + 1 - begin) +
                            rest_[i + 1] * static_cast<double>(end - i - 1);
        if (cost < best) best = cost, cut = i + 1, best_axis = axis;
      }
    }
    sort(begin, end, best_axis);
    cuts_.push_back(static_cast<std::uint32_t>(cut - begin));
    divide(begin, cut, depth + 1);
    divide(cut, end, depth + 1);
  }

  std::vector<RegionBox> boxes_;
  std::vector<std::uint32_t> order_, cuts_;
  std::vector<double> rest_;  // the area of the box around the regions from an index on
};

}  // namespace

std::vector<FlatRegion> flat_regions(std::span<const Face> faces, std::span<const Vec3> normals,
                                     std::span<const Vec3> centroids) {
  if (faces.size() < 16 || !seems_flat(normals, centroids)) return {};
  struct Side {
    std::uint32_t a, b, face;
  };
  std::vector<Side> sides;
  sides.reserve(3 * faces.size());
  for (std::uint32_t f = 0; f < faces.size(); ++f)
    for (std::size_t k = 0; k < 3; ++k) {
      const auto [a, b] = std::minmax(faces[f][k], faces[f][(k + 1) % 3]);
      sides.push_back({a, b, f});
    }
  std::sort(sides.begin(), sides.end(), [](const Side& x, const Side& y) {
    return std::tie(x.a, x.b, x.face) < std::tie(y.a, y.b, y.face);
  });
  std::vector<std::uint32_t> root(faces.size());
  std::iota(root.begin(), root.end(), 0u);
  const auto find = [&](std::uint32_t f) {
    while (root[f] != f) f = root[f] = root[root[f]];
    return f;
  };
  for (std::size_t i = 1; i < sides.size(); ++i) {
    const Side &x = sides[i - 1], &y = sides[i];
    if (x.a != y.a || x.b != y.b || !(normals[x.face].dot(normals[y.face]) > 0.5) ||
        !(normals[x.face].cross(normals[y.face]).squaredNorm() < 1e-12))
      continue;
    const std::uint32_t p = find(x.face), q = find(y.face);
    root[std::max(p, q)] = std::min(p, q);
  }
  std::vector<FlatRegion> regions;
  std::vector<std::uint32_t> place(faces.size());
  for (std::uint32_t f = 0; f < faces.size(); ++f) {
    if (root[f] == f) {
      place[f] = static_cast<std::uint32_t>(regions.size());
      regions.emplace_back();
      if (4 * regions.size() > faces.size()) return {};
    }
    regions[place[find(f)]].push_back(f);
  }
  return regions;
}

std::vector<std::uint32_t> divide_regions(std::vector<FlatRegion>& regions,
                                          std::span<const Face> faces,
                                          std::span<const Vec3> vertices) {
  std::vector<RegionBox> boxes(regions.size());
  for (std::size_t i = 0; i < regions.size(); ++i)
    for (const std::uint32_t f : regions[i])
      for (const std::uint32_t v : faces[f]) boxes[i].add({vertices[v], vertices[v]});
  RegionDivider divider(std::move(boxes));
  std::vector<FlatRegion> ordered;
  ordered.reserve(regions.size());
  for (const std::uint32_t i : divider.order()) ordered.push_back(std::move(regions[i]));
  regions = std::move(ordered);
  return std::move(divider.cuts());
}

}  // namespace graze::rigid
