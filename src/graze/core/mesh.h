#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "graze/core/query.h"
#include "graze/core/vec3.h"

namespace graze {

using Edge = std::array<std::uint32_t, 2>;  // two vertices, the smaller first
using Face = std::array<std::uint32_t, 3>;

// What is connected to what; where the vertices are is kept outside, so that one mesh serves all
// frames. Triangles, rods and points may live together; make_mesh() finds out which is which. In
// files and on the command line features have one numbering: vertex v, edge vertex_count + e, face
// vertex_count + edges.size() + f.
struct Mesh {
  static constexpr std::size_t max_vertices = std::size_t{1} << 30;

  std::size_t vertex_count = 0;
  std::vector<Edge> edges;  // sides of faces and rods, each once, by larger vertex, then smaller
  std::vector<Face> faces;
  std::vector<std::uint32_t> rods;    // edges that are no side of a face, ascending
  std::vector<std::uint32_t> points;  // vertices of no edge, ascending

  std::size_t edge_id(std::size_t edge) const { return vertex_count + edge; }
  std::size_t face_id(std::size_t face) const { return vertex_count + edges.size() + face; }

  bool operator==(const Mesh&) const = default;
};

// Finds and orders the edges, the rods among them, and the points. `rods`: in any order, either end
// first, repeated or sides of faces. All vertices are below vertex_count <= Mesh::max_vertices. A
// face may name a vertex twice, which makes no edge.
inline Mesh make_mesh(std::size_t vertex_count, std::vector<Face> faces,
                      const std::vector<Edge>& rods = {}) {
  assert(vertex_count <= Mesh::max_vertices);
  using Keys = std::vector<std::uint64_t>;  // larger vertex, smaller vertex
  const auto add = [&](Keys& keys, std::uint32_t a, std::uint32_t b) {
    assert(a < vertex_count && b < vertex_count);
    if (a != b) keys.push_back(std::uint64_t{std::max(a, b)} << 32 | std::min(a, b));
  };
  const auto sort = [](Keys& keys) {
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  };
  Keys sides, others, edges;
  sides.reserve(3 * faces.size());
  for (const Face& face : faces)
    for (std::size_t k = 0; k < 3; ++k) add(sides, face[k], face[(k + 1) % 3]);
  for (const Edge& rod : rods) add(others, rod[0], rod[1]);
  sort(sides);
  sort(others);
  std::set_union(sides.begin(), sides.end(), others.begin(), others.end(),
                 std::back_inserter(edges));

  Mesh mesh{vertex_count, {}, std::move(faces), {}, {}};
  mesh.edges.reserve(edges.size());
  std::vector<bool> has_edge(vertex_count);
  auto side = sides.begin();
  for (const std::uint64_t key : edges) {
    if (side != sides.end() && *side == key)
      ++side;
    else
      mesh.rods.push_back(static_cast<std::uint32_t>(mesh.edges.size()));
    mesh.edges.push_back({static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32)});
    for (const std::uint32_t vertex : mesh.edges.back()) has_edge[vertex] = true;
  }
  for (std::uint32_t vertex = 0; vertex < vertex_count; ++vertex)
    if (!has_edge[vertex]) mesh.points.push_back(vertex);
  return mesh;
}

// What may touch first: a vertex and a face or two edges, and where there are rods and points also
// a vertex and a rod or two points.
enum class PairKind : std::uint8_t { vertex_face, edge_edge, vertex_edge, vertex_vertex };
inline constexpr std::size_t pair_kinds = 4;

constexpr const char* name(PairKind kind) {
  switch (kind) {
    case PairKind::vertex_face:
      return "vertex-face";
    case PairKind::edge_edge:
      return "edge-edge";
    case PairKind::vertex_edge:
      return "vertex-edge";
    case PairKind::vertex_vertex:
      return "vertex-vertex";
  }
  return "?";
}

// Indices within the mesh: a vertex and a face or an edge, or two edges or vertices, the smaller
// first. (Mesh says how they are numbered together in files.)
struct Pair {
  std::uint32_t a, b;
  auto operator<=>(const Pair&) const = default;
};

// The numbers of the pair's features in files and on the command line.
inline std::array<std::size_t, 2> feature_ids(const Mesh& mesh, PairKind kind, const Pair& pair) {
  const bool edge_a = kind == PairKind::edge_edge;
  const bool edge_b = edge_a || kind == PairKind::vertex_edge;
  return {edge_a ? mesh.edge_id(pair.a) : pair.a, kind == PairKind::vertex_face
                                                      ? mesh.face_id(pair.b)
                                                  : edge_b ? mesh.edge_id(pair.b)
                                                           : pair.b};
}

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
  PointEdge vertex_edge(std::size_t vertex, std::size_t edge) const {
    const Edge& e = mesh.edges[edge];
    return {{start[vertex], start[e[0]], start[e[1]]}, {end[vertex], end[e[0]], end[e[1]]}};
  }
  PointPoint vertex_vertex(std::size_t a, std::size_t b) const {
    return {{start[a], start[b]}, {end[a], end[b]}};
  }
};

// A mesh in two frames, with their storage.
struct MeshMotion {
  Mesh mesh;
  std::vector<Vec3> start, end;

  MovingMesh moving() const { return {mesh, start, end}; }
};

}  // namespace graze
