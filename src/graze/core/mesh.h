#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "graze/core/query.h"
#include "graze/core/vec3.h"

namespace graze {

using Edge = std::array<std::uint32_t, 2>;  // two vertices, the smaller first
using Face = std::array<std::uint32_t, 3>;

// What is connected to what; where the vertices are is kept outside, so that one mesh serves all
// frames. Triangles, rods (edges that are no side of a face) and points (vertices of no edge) may
// live together. In files and on the command line features have one numbering: vertex v, edge
// vertex_count + e, face vertex_count + edges.size() + f.
struct Mesh {
  static constexpr std::size_t max_vertices = std::size_t{1} << 30;

  std::size_t vertex_count = 0;
  std::vector<Edge> edges;  // sides of faces and rods, each once, by larger vertex, then smaller
  std::vector<Face> faces;

  std::size_t edge_id(std::size_t edge) const { return vertex_count + edge; }
  std::size_t face_id(std::size_t face) const { return vertex_count + edges.size() + face; }

  bool operator==(const Mesh&) const = default;
};

// Finds and orders the edges. `rods`: in any order, either end first, repeated or sides of faces.
// All vertices are below vertex_count <= Mesh::max_vertices. A face may name a vertex twice, which
// makes no edge.
inline Mesh make_mesh(std::size_t vertex_count, std::vector<Face> faces,
                      const std::vector<Edge>& rods = {}) {
  assert(vertex_count <= Mesh::max_vertices);
  std::vector<std::uint64_t> keys;  // larger vertex, smaller vertex
  keys.reserve(3 * faces.size() + rods.size());
  const auto add = [&](std::uint32_t a, std::uint32_t b) {
    assert(a < vertex_count && b < vertex_count);
    if (a != b) keys.push_back(std::uint64_t{std::max(a, b)} << 32 | std::min(a, b));
  };
  for (const Face& face : faces)
    for (std::size_t k = 0; k < 3; ++k) add(face[k], face[(k + 1) % 3]);
  for (const Edge& rod : rods) add(rod[0], rod[1]);
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());

  Mesh mesh{vertex_count, std::vector<Edge>(keys.size()), std::move(faces)};
  std::transform(keys.begin(), keys.end(), mesh.edges.begin(), [](std::uint64_t key) {
    return Edge{static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32)};
  });
  return mesh;
}

enum class PairKind : std::uint8_t { vertex_face, edge_edge };

// Indices within the mesh: vertex and face, or two edges, the smaller first. (Mesh says how they
// are numbered together in files.)
struct Pair {
  std::uint32_t a, b;
  auto operator<=>(const Pair&) const = default;
};

// A mesh whose vertices move on straight lines from `start` (t = 0) to `end` (t = 1). A view: what
// it refers to outlives it. A row-major n x 3 matrix of doubles is such a span without a copy.
struct MovingMesh {
  const Mesh& mesh;
  std::span<const Vec3> start, end;  // vertex_count each

  VertexFace vertex_face(std::size_t vertex, std::size_t face) const {
    const Face& f = mesh.faces[face];
    return {{start[vertex], start[f[0]], start[f[1]], start[f[2]]},
            {end[vertex], end[f[0]], end[f[1]], end[f[2]]}};
  }
  EdgeEdge edge_edge(std::size_t edge_a, std::size_t edge_b) const {
    const Edge &a = mesh.edges[edge_a], &b = mesh.edges[edge_b];
    return {{start[a[0]], start[a[1]], start[b[0]], start[b[1]]},
            {end[a[0]], end[a[1]], end[b[0]], end[b[1]]}};
  }
};

}  // namespace graze
