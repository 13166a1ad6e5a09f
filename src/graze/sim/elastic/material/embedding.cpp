#include "graze/sim/elastic/material/embedding.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>

namespace graze::sim::soft {
namespace {

using Cell = std::array<int, 3>;

// The grid of cubes of side `cell` around the surface, at least half a cube larger on every side.
class Grid {
 public:
  Grid(const Eigen::AlignedBox3d& box, double cell) : cell_(cell) {
    for (int k = 0; k < 3; ++k) {
      const double wanted = std::ceil(box.sizes()[k] / cell) + 1;
      size_[std::size_t(k)] = wanted < most_cells ? int(wanted) : int(most_cells);
      origin_[k] = box.center()[k] - 0.5 * size_[std::size_t(k)] * cell;
    }
  }
  bool is_small() const { return double(size_[0]) * size_[1] * size_[2] <= most_cells; }
  std::size_t count() const { return index(last()) + 1; }

  std::size_t index(const Cell& c) const {
    return (std::size_t(c[0]) * std::size_t(size_[1]) + std::size_t(c[1])) * std::size_t(size_[2]) +
           std::size_t(c[2]);
  }
  bool holds(const Cell& c) const {
    for (std::size_t k = 0; k < 3; ++k)
      if (c[k] < 0 || c[k] >= size_[k]) return false;
    return true;
  }
  // Returns x in units of cells from the origin of the grid.
  Vec3 local(const Vec3& x) const { return (x - origin_) / cell_; }
  Cell cell_at(const Vec3& x) const {
    Cell c;
    for (std::size_t k = 0; k < 3; ++k)
      c[k] = std::clamp(int(std::floor(local(x)[int(k)])), 0, size_[k] - 1);
    return c;
  }
  Vec3 corner(const Cell& c) const { return origin_ + cell_ * Vec3(c[0], c[1], c[2]); }
  static Cell first() { return {0, 0, 0}; }
  Cell last() const { return {size_[0] - 1, size_[1] - 1, size_[2] - 1}; }

  template <class F>
  void for_each_cell(const Cell& lo, const Cell& hi, F&& f) const {
    for (int x = lo[0]; x <= hi[0]; ++x)
      for (int y = lo[1]; y <= hi[1]; ++y)
        for (int z = lo[2]; z <= hi[2]; ++z) f(Cell{x, y, z});
  }

 private:
  static constexpr double most_cells = 1 << 24;
  double cell_;
  Vec3 origin_;
  Cell size_{};
};

// Returns false if one of the 13 directions that can separate a box from a triangle separates the
// triangle (in units of cells) from the cube at c by more than rounding.
bool may_meet(const std::array<Vec3, 3>& triangle, const Cell& c) {
  const Vec3 middle = Vec3(c[0], c[1], c[2]).array() + 0.5;
  std::array<Vec3, 3> p;
  for (std::size_t k = 0; k < 3; ++k) p[k] = triangle[k] - middle;
  const auto apart = [&](const Vec3& n) {
    const double a = n.dot(p[0]), b = n.dot(p[1]), d = n.dot(p[2]);
    const double reach = 0.5 * n.lpNorm<1>() * (1 + 1e-9);
    return std::min({a, b, d}) > reach || std::max({a, b, d}) < -reach;
  };
  const std::array<Vec3, 3> sides = {p[1] - p[0], p[2] - p[1], p[0] - p[2]};
  if (apart(sides[0].cross(sides[1]))) return false;
  for (int k = 0; k < 3; ++k) {
    if (apart(Vec3::Unit(k))) return false;
    for (const Vec3& side : sides)
      if (apart(Vec3::Unit(k).cross(side))) return false;
  }
  return true;
}

enum class Mark : std::uint8_t { unknown, surface, outside };

// Marks the cells of the surface, then all cells that are reached from the border of the grid
// without entering one of them.
std::vector<Mark> marks_of(const Grid& grid, std::span<const Vec3> vertices,
                           std::span<const Face> faces) {
  std::vector<Mark> marks(grid.count(), Mark::unknown);
  for (const Face& face : faces) {
    std::array<Vec3, 3> triangle;
    Eigen::AlignedBox3d box;
    for (std::size_t k = 0; k < 3; ++k) {
      triangle[k] = grid.local(vertices[face[k]]);
      box.extend(vertices[face[k]]);
    }
    grid.for_each_cell(grid.cell_at(box.min()), grid.cell_at(box.max()), [&](const Cell& c) {
      if (may_meet(triangle, c)) marks[grid.index(c)] = Mark::surface;
    });
  }
  for (const Vec3& x : vertices) marks[grid.index(grid.cell_at(x))] = Mark::surface;

  std::vector<Cell> open;
  const auto reach = [&](const Cell& c) {
    if (!grid.holds(c) || marks[grid.index(c)] != Mark::unknown) return;
    marks[grid.index(c)] = Mark::outside;
    open.push_back(c);
  };
  const Cell last = grid.last();
  grid.for_each_cell(grid.first(), last, [&](const Cell& c) {
    for (std::size_t k = 0; k < 3; ++k)
      if (c[k] == 0 || c[k] == last[k]) reach(c);
  });
  while (!open.empty()) {
    const Cell c = open.back();
    open.pop_back();
    for (std::size_t k = 0; k < 3; ++k)
      for (const int step : {-1, 1}) {
        Cell next = c;
        next[k] += step;
        reach(next);
      }
  }
  return marks;
}

// A path along edges from the lowest corner of a cube to the highest, one axis after the other. Its
// vertices are those of a tetrahedron of Kuhn's division, which is mirrored if the order of the
// axes is odd.
struct Way : std::array<std::size_t, 3> {
  bool is_odd() const { return ((*this)[1] + 3 - (*this)[0]) % 3 == 2; }
};
constexpr std::array<Way, 6> ways = {
    {{{0, 1, 2}}, {{0, 2, 1}}, {{1, 0, 2}}, {{1, 2, 0}}, {{2, 0, 1}}, {{2, 1, 0}}}};

}  // namespace

Embedding embed(std::span<const Vec3> vertices, std::span<const Face> faces, double cell) {
  assert(cell > 0);
  Eigen::AlignedBox3d box;
  for (const Vec3& x : vertices) {
    if (!x.allFinite()) return {};
    box.extend(x);
  }
  for (const Face& face : faces)
    if (*std::max_element(face.begin(), face.end()) >= vertices.size()) return {};
  if (vertices.empty()) return {};
  const Grid grid(box, cell);
  if (!grid.is_small()) return {};
  const std::vector<Mark> marks = marks_of(grid, vertices, faces);

  Embedding result;
  std::map<Cell, std::uint32_t> corners;
  const auto corner = [&](const Cell& c) {
    const auto [known, is_new] =
        corners.try_emplace(c, static_cast<std::uint32_t>(result.cage.positions.size()));
    if (is_new) result.cage.positions.push_back(grid.corner(c));
    return known->second;
  };
  std::vector<std::uint32_t> first_tet(grid.count());
  grid.for_each_cell(grid.first(), grid.last(), [&](Cell c) {
    if (marks[grid.index(c)] == Mark::outside) return;
    first_tet[grid.index(c)] = static_cast<std::uint32_t>(result.cage.tets.size());
    for (const Way& way : ways) {
      Tetrahedron tet{corner(c)};
      Cell at = c;
      for (std::size_t k = 0; k < 3; ++k) {
        ++at[way[k]];
        tet[way.is_odd() && k > 0 ? 4 - k : k + 1] = corner(at);
      }
      result.cage.tets.push_back(tet);
    }
  });

  result.surface.faces.assign(faces.begin(), faces.end());
  for (const Vec3& x : vertices) {
    const Cell c = grid.cell_at(x);
    const Vec3 part = (grid.local(x) - Vec3(c[0], c[1], c[2])).cwiseMax(0).cwiseMin(1);
    // The path whose axes are ordered by the coordinates of the vertex, largest first.
    const auto along = [&](const Way& way, std::size_t k) { return part[int(way[k])]; };
    const auto way = std::find_if(ways.begin(), ways.end(), [&](const Way& w) {
      return along(w, 0) >= along(w, 1) && along(w, 1) >= along(w, 2);
    });
    const double a = along(*way, 0), b = along(*way, 1), d = along(*way, 2);
    Skin::Vertex vertex{first_tet[grid.index(c)] + std::uint32_t(way - ways.begin()),
                        {1 - a, a - b, b - d, d}};
    if (way->is_odd()) std::swap(vertex.weights[2], vertex.weights[3]);
    result.surface.vertices.push_back(vertex);
  }
  return result;
}

std::vector<Vec3> carried(const Skin& surface, std::span<const Tetrahedron> tets,
                          std::span<const Vec3> positions) {
  std::vector<Vec3> points;
  points.reserve(surface.vertices.size());
  for (const auto& [tet, weights] : surface.vertices) {
    Vec3 x = Vec3::Zero();
    for (std::size_t k = 0; k < 4; ++k) x += weights[k] * positions[tets[tet][k]];
    points.push_back(x);
  }
  return points;
}

}  // namespace graze::sim::soft
