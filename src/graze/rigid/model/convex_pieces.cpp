#include "graze/rigid/model/convex_pieces.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <utility>

#include "graze/core/numeric/float_environment.h"
#include "graze/rigid/model/convex_hull.h"
#include "graze/rigid/model/decomposition.h"

namespace graze::rigid {

// The radius has a relative error of a few 2^-53, and underflow adds a few 2^-1074.
ConvexPiece::ConvexPiece(std::span<const Vec3> vertices, std::span<const Face> surface,
                         std::vector<std::uint32_t> own)
    : faces(std::move(own)) {
  std::vector<std::uint32_t> used;
  for (const std::uint32_t f : faces) used.insert(used.end(), surface[f].begin(), surface[f].end());
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  Vec3 lo = vertices[used[0]], hi = lo;
  for (const std::uint32_t v : used) {
    points.push_back(vertices[v]);
    lo = lo.cwiseMin(vertices[v]);
    hi = hi.cwiseMax(vertices[v]);
  }
  centre = lo + (hi - lo) / 2;
  radius = 0;
  for (const Vec3& p : points) radius = std::max(radius, (p - centre).stableNorm());
  radius = radius * (1 + 0x1p-40) + 0x1p-1060;
  join_neighbours(surface, used);
  fill_table();
}

void ConvexPiece::join_neighbours(std::span<const Face> surface,
                                  std::span<const std::uint32_t> vertices) {
  constexpr std::size_t few = 8;  // vertices that are all neighbours
  const auto count = static_cast<std::uint32_t>(points.size());
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  const auto join = [&](std::uint32_t v, std::uint32_t w) {
    if (v == w) return;
    edges.emplace_back(v, w);
    edges.emplace_back(w, v);
  };
  if (count <= few) {
    for (std::uint32_t v = 0; v < count; ++v)
      for (std::uint32_t w = 0; w < v; ++w) join(v, w);
  } else {
    for (const Face& face : convex_hull(points))
      for (std::size_t k = 0; k < 3; ++k) join(face[k], face[(k + 1) % 3]);
    const auto place = [&](std::uint32_t v) {
      return static_cast<std::uint32_t>(std::lower_bound(vertices.begin(), vertices.end(), v) -
                                        vertices.begin());
    };
    for (const std::uint32_t f : faces)
      for (std::size_t k = 0; k < 3; ++k)
        join(place(surface[f][k]), place(surface[f][(k + 1) % 3]));
    table_.resize(6 * cells * cells);
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  first_.assign(count + 1, 0);
  for (const auto& [v, w] : edges) {
    ++first_[v + 1];
    next_.push_back(w);
  }
  for (std::uint32_t v = 0; v < count; ++v) first_[v + 1] += first_[v];
}

// Entry ((side * cells) + i) * cells + j: the middle of cell (i, j) on a side of the cube. Sides 2
// k and 2 k + 1 are across the axis k; i and j count along the next two axes.
void ConvexPiece::fill_table() {
  for (std::size_t entry = 0; entry < table_.size(); ++entry) {
    const auto side = entry / (cells * cells), i = entry / cells % cells, j = entry % cells;
    const auto along = [](std::size_t cell) { return (2.0 * double(cell) + 1) / cells - 1; };
    Vec3 n;
    const auto k = static_cast<int>(side / 2);
    n[k] = side % 2 == 0 ? 1 : -1;
    n[(k + 1) % 3] = along(i);
    n[(k + 2) % 3] = along(j);
    table_[entry] = scan(n);
  }
}

std::uint32_t ConvexPiece::scan(const Vec3& n) const {
  std::uint32_t best = 0;
  double most = n.dot(points[0]);
  for (std::uint32_t v = 1; v < points.size(); ++v)
    if (const double value = n.dot(points[v]); value > most) {
      most = value;
      best = v;
    }
  return best;
}

std::uint32_t ConvexPiece::climb(const Vec3& n, std::uint32_t start) const {
  double most = n.dot(points[start]);
  for (std::uint32_t at = start;;) {
    std::uint32_t best = at;
    for (std::uint32_t i = first_[at]; i < first_[at + 1]; ++i)
      if (const double value = n.dot(points[next_[i]]); value > most) {
        most = value;
        best = next_[i];
      }
    if (best == at) return at;
    at = best;
  }
}

std::uint32_t ConvexPiece::look_up(const Vec3& n) const {
  if (table_.empty()) return 0;
  int k = 0;
  const double largest = n.cwiseAbs().maxCoeff(&k);
  if (!(largest > 0)) return 0;
  const auto cell = [&](double x) {
    return std::min(static_cast<std::size_t>((x / largest + 1) * cells / 2),
                    std::size_t{cells - 1});
  };
  const std::size_t side = 2 * static_cast<std::size_t>(k) + (n[k] > 0 ? 0 : 1);
  return table_[(side * cells + cell(n[(k + 1) % 3])) * cells + cell(n[(k + 2) % 3])];
}

const std::vector<ConvexPiece>& ConvexPieces::of(std::span<const Vec3> vertices,
                                                 std::span<const Face> faces) {
  std::call_once(made_, [&] {
    const FloatEnvironment environment;
    const SurfaceDecomposition parts = decompose_surface(vertices, faces);
    std::vector<std::vector<std::uint32_t>> own(parts.pieces);
    for (std::uint32_t f = 0; f < faces.size(); ++f) own[parts.piece[f]].push_back(f);
    pieces_.reserve(own.size());
    for (std::vector<std::uint32_t>& list : own)
      pieces_.emplace_back(vertices, faces, std::move(list));
  });
  return pieces_;
}

}  // namespace graze::rigid
