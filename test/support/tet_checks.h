#pragma once

#include <Eigen/LU>
#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "graze/sim/elastic/material/tet_mesh.h"

namespace graze::test {

// Properties of the faces of a tetrahedral mesh, computed without functions of the library.
struct TetCensus {
  std::size_t boundary_faces = 0, inner_faces = 0, crowded_faces = 0;  // of 1, 2, more tetrahedra
  int euler = 0;         // of the boundary: vertices - edges + faces
  bool closed = true;    // every boundary edge has two boundary faces, in opposite directions
  bool manifold = true;  // the faces at a boundary vertex are one fan
  double least_volume = 1e300, volume = 0;
};

inline TetCensus census(const TetMesh& mesh) {
  TetCensus result;
  // The sides opposite to the corners 0, 1, 2, 3; oriented outwards if the volume is positive.
  constexpr std::array<std::array<std::size_t, 3>, 4> sides = {
      {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}}};
  std::map<Face, std::vector<Face>> faces;
  for (const Tetrahedron& tet : mesh.tets) {
    const auto at = [&](std::size_t i) { return mesh.positions[tet[i]]; };
    Eigen::Matrix3d edges;
    edges << at(1) - at(0), at(2) - at(0), at(3) - at(0);
    const double six = edges.determinant();
    result.least_volume = std::min(result.least_volume, six / 6);
    result.volume += six / 6;
    for (const auto& [i, j, k] : sides) {
      const Face face{tet[i], tet[j], tet[k]};
      Face key = face;
      std::sort(key.begin(), key.end());
      faces[key].push_back(face);
    }
  }
  std::map<Edge, int> directed;
  std::map<std::uint32_t, std::map<std::uint32_t, std::uint32_t>> fans;
  for (const auto& [key, sharing] : faces) {
    result.boundary_faces += sharing.size() == 1;
    result.inner_faces += sharing.size() == 2;
    result.crowded_faces += sharing.size() > 2;
    if (sharing.size() != 1) continue;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto a = sharing[0][k], b = sharing[0][(k + 1) % 3], c = sharing[0][(k + 2) % 3];
      ++directed[{a, b}];
      fans[a][b] = c;
    }
  }
  std::size_t edges = 0;
  for (const auto& [edge, count] : directed) {
    const auto back = directed.find({edge[1], edge[0]});
    if (count != 1 || back == directed.end()) result.closed = false;
    edges += edge[0] < edge[1] || back == directed.end();
  }
  for (const auto& [vertex, next] : fans) {
    std::size_t turned = 0;
    auto at = next.begin()->first;
    do {
      const auto step = next.find(at);
      if (step == next.end()) break;
      at = step->second;
      ++turned;
    } while (at != next.begin()->first && turned <= next.size());
    if (turned != next.size()) result.manifold = false;
  }
  result.euler = int(fans.size()) - int(edges) + int(result.boundary_faces);
  return result;
}

}  // namespace graze::test
