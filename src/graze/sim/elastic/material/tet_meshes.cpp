#include "graze/sim/elastic/material/tet_meshes.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <numbers>

namespace graze::sim::soft {
namespace {

using Lattice = std::array<std::uint32_t, 3>;

// The six paths from the lowest corner of a cell to the highest, one axis after the other.
constexpr std::array<std::array<std::size_t, 3>, 6> paths = {
    {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}};

// Returns the corners of Kuhn's tetrahedron along a path.
std::array<Lattice, 4> kuhn(Lattice corner, const std::array<std::size_t, 3>& way) {
  std::array<Lattice, 4> corners{corner};
  for (std::size_t k = 0; k < 3; ++k) {
    ++corner[way[k]];
    corners[k + 1] = corner;
  }
  return corners;
}

// Adds the tetrahedron, its corners ordered so that the volume is positive.
void add(TetMesh& mesh, Tetrahedron tet) {
  if (volume_of(mesh.positions, tet) < 0) std::swap(tet[2], tet[3]);
  mesh.tets.push_back(tet);
}

Vec3 turned(double angle, double radius, double z = 0) {
  return {radius * std::cos(angle), radius * std::sin(angle), z};
}

}  // namespace

double volume(const TetMesh& mesh) {
  double sum = 0;
  for (const Tetrahedron& tet : mesh.tets) sum += volume_of(mesh.positions, tet);
  return sum;
}

TetMesh box_tets(const Vec3& lo, const Vec3& hi, const std::array<std::uint32_t, 3>& cells) {
  TetMesh mesh;
  const auto at = [&](const Lattice& p) {
    return (p[0] * (cells[1] + 1) + p[1]) * (cells[2] + 1) + p[2];
  };
  for (std::uint32_t x = 0; x <= cells[0]; ++x)
    for (std::uint32_t y = 0; y <= cells[1]; ++y)
      for (std::uint32_t z = 0; z <= cells[2]; ++z) {
        const Vec3 share(double(x) / cells[0], double(y) / cells[1], double(z) / cells[2]);
        mesh.positions.push_back(lo + share.cwiseProduct(hi - lo));
      }
  for (std::uint32_t x = 0; x < cells[0]; ++x)
    for (std::uint32_t y = 0; y < cells[1]; ++y)
      for (std::uint32_t z = 0; z < cells[2]; ++z)
        for (const auto& way : paths) {
          const auto corners = kuhn({x, y, z}, way);
          add(mesh, {at(corners[0]), at(corners[1]), at(corners[2]), at(corners[3])});
        }
  return mesh;
}

TetMesh ball_tets(double radius, std::uint32_t rings) {
  assert(rings > 0);
  // In each octant |x|+|y|+|z| <= rings is the tetrahedron rings >= i >= j >= k >= 0 of the lattice
  // points i = |x|+|y|+|z|, j = |y|+|z|, k = |z|, which Kuhn's division of space fills. On the
  // sides of the octants it divides triangles into equal ones in every octant, so that they fit.
  TetMesh mesh;
  std::map<std::array<int, 3>, std::uint32_t> known;
  const auto vertex = [&](const Lattice& p, const Vec3& sign) {
    const Vec3 place = sign.cwiseProduct(Vec3(p[0] - p[1], p[1] - p[2], p[2]));
    const auto [entry, is_new] =
        known.try_emplace({int(place[0]), int(place[1]), int(place[2])},
                          static_cast<std::uint32_t>(mesh.positions.size()));
    if (is_new)
      mesh.positions.push_back(p[0] == 0 ? Vec3(Vec3::Zero())
                                         : Vec3(radius * p[0] / rings * place.normalized()));
    return entry->second;
  };
  for (int octant = 0; octant < 8; ++octant) {
    const Vec3 sign(octant & 1 ? -1 : 1, octant & 2 ? -1 : 1, octant & 4 ? -1 : 1);
    for (std::uint32_t i = 0; i < rings; ++i)
      for (std::uint32_t j = 0; j <= i; ++j)
        for (std::uint32_t k = 0; k <= j; ++k)
          for (const auto& way : paths) {
            const auto corners = kuhn({i, j, k}, way);
            const auto inside = [](const Lattice& p) { return p[0] >= p[1] && p[1] >= p[2]; };
            if (!std::all_of(corners.begin(), corners.end(), inside)) continue;
            add(mesh, {vertex(corners[0], sign), vertex(corners[1], sign), vertex(corners[2], sign),
                       vertex(corners[3], sign)});
          }
  }
  return mesh;
}

TetMesh torus_tets(double radius, double tube, std::uint32_t along, std::uint32_t rings) {
  assert(along >= 3 && rings > 0 && tube > 0 && radius > tube);
  // The disc: layer r has 6r vertices, after the 3r(r-1)+1 of those inside.
  std::vector<std::array<double, 2>> disc{{0, 0}};
  for (std::uint32_t r = 1; r <= rings; ++r)
    for (std::uint32_t k = 0; k < 6 * r; ++k) {
      const Vec3 place = turned(2 * std::numbers::pi * k / (6 * r), tube * r / rings);
      disc.push_back({place[0], place[1]});
    }
  const auto in_disc = [](std::uint32_t r, std::uint32_t k) {
    return r == 0 ? 0 : 3 * r * (r - 1) + 1 + k % (6 * r);
  };
  std::vector<Face> triangles;
  for (std::uint32_t r = 1; r <= rings; ++r)
    for (std::uint32_t side = 0; side < 6; ++side)
      for (std::uint32_t k = 0; k < r; ++k) {
        const std::uint32_t outer = side * r + k, inner = side * (r - 1) + k;
        triangles.push_back({in_disc(r, outer), in_disc(r, outer + 1), in_disc(r - 1, inner)});
        if (k > 0)
          triangles.push_back(
              {in_disc(r, outer), in_disc(r - 1, inner), in_disc(r - 1, inner - 1)});
      }

  TetMesh mesh;
  const auto size = static_cast<std::uint32_t>(disc.size());
  for (std::uint32_t i = 0; i < along; ++i)
    for (const auto& [out, up] : disc)
      mesh.positions.push_back(turned(2 * std::numbers::pi * i / along, radius + out, up));
  // Between two slices a triangle a < b < c sweeps a prism. Its sides are cut from the smaller
  // vertex in this slice to the larger in the next, the same way for both prisms at a side.
  for (std::uint32_t i = 0; i < along; ++i)
    for (Face triangle : triangles) {
      std::sort(triangle.begin(), triangle.end());
      const auto& [a, b, c] = triangle;
      const std::uint32_t here = i * size, next = (i + 1) % along * size;
      add(mesh, {here + a, here + b, here + c, next + c});
      add(mesh, {here + a, here + b, next + b, next + c});
      add(mesh, {here + a, next + a, next + b, next + c});
    }
  return mesh;
}

TetMesh chain_tets(std::uint32_t count, double radius, double tube, std::uint32_t along,
                   std::uint32_t rings) {
  const TetMesh ring = torus_tets(radius, tube, along, rings);
  std::vector<TetMesh> links;
  for (std::uint32_t i = 0; i < count; ++i) {
    Eigen::Isometry3d place = Eigen::Isometry3d::Identity();
    // At spacing d the tubes' centres are 2 radius - d apart, those of every other ring
    // 2 d - 2 radius.
    place.translate(Vec3(i * (4 * radius / 3), 0, 0));
    if (i % 2 == 1) place.rotate(Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitX()));
    links.push_back(moved(ring, place));
  }
  return joined(links);
}

TetMesh moved(TetMesh mesh, const Eigen::Isometry3d& motion) {
  for (Vec3& x : mesh.positions) x = motion * x;
  return mesh;
}

TetMesh joined(std::span<const TetMesh> meshes) {
  TetMesh all;
  for (const TetMesh& mesh : meshes) {
    const auto first = static_cast<std::uint32_t>(all.positions.size());
    all.positions.insert(all.positions.end(), mesh.positions.begin(), mesh.positions.end());
    for (Tetrahedron tet : mesh.tets) {
      for (std::uint32_t& vertex : tet) vertex += first;
      all.tets.push_back(tet);
    }
  }
  return all;
}

}  // namespace graze::sim::soft
