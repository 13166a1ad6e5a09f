#include "graze/rigid/shapes/grid_parts.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "graze/core/numeric/strict_arithmetic.h"

namespace graze::rigid {
namespace {

// Indices of parts: first all triangles, then the blocks of level 0 (single cells), of level 1 (2 x
// 2 cells), and so on to the root. The heights of a cell are found from its vertices; those of
// larger blocks are stored.
class Grid final : public Parts {
 public:
  Grid(std::size_t columns, std::size_t rows, double dx, double dy, std::span<const double> heights)
      : columns_(static_cast<std::uint32_t>(columns)),
        rows_(static_cast<std::uint32_t>(rows)),
        dx_(dx),
        dy_(dy),
        heights_(heights.begin(), heights.end()) {
    std::uint32_t first = 2 * (columns_ - 1) * (rows_ - 1);
    levels_.push_back({columns_ - 1, rows_ - 1, first, {}});
    while (levels_.back().width > 1 || levels_.back().depth > 1) {
      const Level& below = levels_.back();
      first += below.width * below.depth;
      Level next{(below.width + 1) / 2, (below.depth + 1) / 2, first, {}};
      next.ranges.reserve(std::size_t{next.width} * next.depth);
      for (std::uint32_t j = 0; j < next.depth; ++j)
        for (std::uint32_t i = 0; i < next.width; ++i) {
          Range all = range(levels_.size() - 1, 2 * i, 2 * j);
          for (std::uint32_t y = 2 * j; y < std::min(2 * j + 2, below.depth); ++y)
            for (std::uint32_t x = 2 * i; x < std::min(2 * i + 2, below.width); ++x) {
              const Range part = range(levels_.size() - 1, x, y);
              all = {std::min(all.lo, part.lo), std::max(all.hi, part.hi)};
            }
          next.ranges.push_back(all);
        }
      levels_.push_back(std::move(next));
    }
    const auto [lo, hi] = std::minmax_element(heights_.begin(), heights_.end());
    reach_ = std::max({dx * double(columns - 1), dy * double(rows - 1), -*lo, *hi});
  }

  std::uint32_t root() const override { return levels_.back().first; }
  std::uint64_t size() const override { return std::uint64_t{root()} + 1; }
  std::uint64_t faces() const override { return levels_[0].first; }

  Part part(std::uint32_t i) const override {
    const bool leaf = i < levels_[0].first;
    Vec3 lo, hi;
    if (leaf) {
      const std::array<Vec3, 3> corners = triangle(i);
      lo = corners[0].cwiseMin(corners[1]).cwiseMin(corners[2]);
      hi = corners[0].cwiseMax(corners[1]).cwiseMax(corners[2]);
    } else {
      const Box box = box_of(i);
      lo = box.lo;
      hi = box.hi;
    }
    const Vec3 centre = lo / 2 + hi / 2;
    const double radius = (hi - centre).cwiseMax(centre - lo).stableNorm() * (1 + 0x1p-48);
    return {centre, radius, 0, leaf, leaf ? i : 0};
  }

  std::uint32_t children(std::uint32_t i, Children& to) const override {
    const Block block = block_of(i);
    if (block.level == 0) {
      const std::uint32_t cell = i - levels_[0].first;
      to[0] = 2 * cell;
      to[1] = 2 * cell + 1;
      return 2;
    }
    const Level& below = levels_[block.level - 1];
    std::uint32_t count = 0;
    for (std::uint32_t y = 2 * block.j; y < std::min(2 * block.j + 2, below.depth); ++y)
      for (std::uint32_t x = 2 * block.i; x < std::min(2 * block.i + 2, below.width); ++x)
        to[count++] = below.first + y * below.width + x;
    return count;
  }

  // Vertices and corners of boxes are exact; the choice among three vertices has the error of a dot
  // product, below 6u reach.
  Vec3 extreme(std::uint32_t i, const Vec3& n) const override {
    if (i >= levels_[0].first) {
      const Box box = box_of(i);
      return {n[0] < 0 ? box.lo[0] : box.hi[0], n[1] < 0 ? box.lo[1] : box.hi[1],
              n[2] < 0 ? box.lo[2] : box.hi[2]};
    }
    const std::array<Vec3, 3> corners = triangle(i);
    std::size_t best = 0;
    for (const std::size_t k : {1u, 2u})
      if (n.dot(corners[k]) > n.dot(corners[best])) best = k;
    return corners[best];
  }

 private:
  struct Range {
    double lo, hi;  // heights
  };
  struct Level {
    std::uint32_t width, depth;  // in blocks
    std::uint32_t first;         // the index of its first part
    std::vector<Range> ranges;   // empty for level 0
  };
  struct Block {
    std::size_t level;
    std::uint32_t i, j;
  };
  struct Box {
    Vec3 lo, hi;
  };

  double height(std::uint32_t i, std::uint32_t j) const {
    return heights_[std::size_t{j} * columns_ + i];
  }
  Vec3 vertex(std::uint32_t i, std::uint32_t j) const {
    return {double(i) * dx_, double(j) * dy_, height(i, j)};
  }
  std::array<Vec3, 3> triangle(std::uint32_t f) const {
    const std::uint32_t cell = f / 2, i = cell % (columns_ - 1), j = cell / (columns_ - 1);
    if (f % 2 == 0) return {vertex(i, j), vertex(i + 1, j), vertex(i + 1, j + 1)};
    return {vertex(i, j), vertex(i + 1, j + 1), vertex(i, j + 1)};
  }
  Range range(std::size_t level, std::uint32_t i, std::uint32_t j) const {
    if (level > 0) return levels_[level].ranges[std::size_t{j} * levels_[level].width + i];
    const auto [lo, hi] =
        std::minmax({height(i, j), height(i + 1, j), height(i, j + 1), height(i + 1, j + 1)});
    return {lo, hi};
  }
  Block block_of(std::uint32_t i) const {
    std::size_t level = levels_.size() - 1;
    while (i < levels_[level].first) --level;
    const std::uint32_t at = i - levels_[level].first;
    return {level, at % levels_[level].width, at / levels_[level].width};
  }
  Box box_of(std::uint32_t part) const {
    const Block block = block_of(part);
    const std::size_t level = block.level;
    const std::uint32_t i = block.i, j = block.j;
    const Range z = range(level, i, j);
    const auto end = [&](std::uint32_t at, std::uint32_t cells) {
      return double(std::min((std::uint64_t{at} + 1) << level, std::uint64_t{cells}));
    };
    return {
        {double(std::uint64_t{i} << level) * dx_, double(std::uint64_t{j} << level) * dy_, z.lo},
        {end(i, columns_ - 1) * dx_, end(j, rows_ - 1) * dy_, z.hi}};
  }

  std::uint32_t columns_, rows_;
  double dx_, dy_;
  std::vector<double> heights_;
  std::vector<Level> levels_;
};

}  // namespace

std::shared_ptr<const Parts> height_grid(std::size_t columns, std::size_t rows, double spacing_x,
                                         double spacing_y, std::span<const double> heights) {
  return std::make_shared<Grid>(columns, rows, spacing_x, spacing_y, heights);
}

}  // namespace graze::rigid
