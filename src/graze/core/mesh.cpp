#include "graze/mesh.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

namespace graze {
namespace {

// Edges by their larger vertex: those of vertex v are entries[first[v]] up to entries[first[v +
// 1]], not included. An entry is twice the smaller vertex, plus 1 for a rod.
struct EdgesByVertex {
  std::vector<std::size_t> first;
  std::vector<std::uint32_t> entries;
};

// Calls function(larger vertex, entry) for each side of a face and each rod with two ends.
template <class Function>
void for_each_edge(const std::vector<Face>& faces, const std::vector<Edge>& rods,
                   Function&& function) {
  static_assert(Mesh::max_vertices <= std::size_t{1} << 31, "an entry has 32 bits");
  const auto add = [&](std::uint32_t a, std::uint32_t b, bool rod) {
    if (a != b) function(std::max(a, b), 2 * std::min(a, b) + rod);
  };
  for (const Face& face : faces)
    for (std::size_t k = 0; k < 3; ++k) add(face[k], face[(k + 1) % 3], false);
  for (const Edge& rod : rods) add(rod[0], rod[1], true);
}

// Returns the edges, each once, with the entries of each vertex sorted. An edge that is a side of a
// face is no rod. Cost: linear, except for sorting the edges of each vertex.
EdgesByVertex edges_by_vertex(std::size_t vertex_count, const std::vector<Face>& faces,
                              const std::vector<Edge>& rods) {
  std::vector<std::size_t> next(vertex_count + 1);
  for_each_edge(faces, rods, [&](std::uint32_t vertex, std::uint32_t) {
    assert(vertex < vertex_count);
    ++next[vertex];
  });
  std::exclusive_scan(next.begin(), next.end(), next.begin(), std::size_t{0});
  EdgesByVertex edges{next, std::vector<std::uint32_t>(next.back())};
  for_each_edge(faces, rods, [&](std::uint32_t vertex, std::uint32_t entry) {
    edges.entries[next[vertex]++] = entry;
  });
  const auto at = [&](std::size_t i) {
    return edges.entries.begin() + static_cast<std::ptrdiff_t>(i);
  };
  auto kept = edges.entries.begin();
  for (std::size_t v = 0; v < vertex_count; ++v) {
    const auto begin = at(edges.first[v]), end = at(next[v]);
    std::sort(begin, end);  // a side comes before the same edge as a rod
    edges.first[v] = static_cast<std::size_t>(kept - edges.entries.begin());
    for (auto entry = begin; entry != end; ++entry)
      if (entry == begin || *entry / 2 != kept[-1] / 2) *kept++ = *entry;
  }
  edges.first[vertex_count] = static_cast<std::size_t>(kept - edges.entries.begin());
  edges.entries.erase(kept, edges.entries.end());
  return edges;
}

}  // namespace

Mesh make_mesh(std::size_t vertex_count, std::vector<Face> faces, const std::vector<Edge>& rods) {
  assert(vertex_count <= Mesh::max_vertices);
  const EdgesByVertex edges = edges_by_vertex(vertex_count, faces, rods);
  Mesh mesh{vertex_count, {}, std::move(faces), {}, {}};
  mesh.edges.reserve(edges.entries.size());
  std::vector<bool> has_edge(vertex_count);
  for (std::uint32_t vertex = 0; vertex < vertex_count; ++vertex)
    for (std::size_t i = edges.first[vertex]; i < edges.first[vertex + 1]; ++i) {
      const std::uint32_t smaller = edges.entries[i] / 2;
      if (edges.entries[i] % 2) mesh.rods.push_back(static_cast<std::uint32_t>(mesh.edges.size()));
      mesh.edges.push_back({smaller, vertex});
      has_edge[smaller] = has_edge[vertex] = true;
    }
  for (std::uint32_t vertex = 0; vertex < vertex_count; ++vertex)
    if (!has_edge[vertex]) mesh.points.push_back(vertex);
  return mesh;
}

std::vector<std::uint32_t> edge_indices(const Mesh& mesh, std::span<const Edge> edges) {
  std::vector<std::uint32_t> indices;
  indices.reserve(edges.size());
  for (const auto& [a, b] : edges) {
    const Edge edge = {std::min(a, b), std::max(a, b)};
    const auto found = std::lower_bound(
        mesh.edges.begin(), mesh.edges.end(), edge,
        [](const Edge& x, const Edge& y) { return x[1] != y[1] ? x[1] < y[1] : x[0] < y[0]; });
    indices.push_back(found != mesh.edges.end() && *found == edge
                          ? static_cast<std::uint32_t>(found - mesh.edges.begin())
                          : no_edge);
  }
  return indices;
}

std::array<std::size_t, 2> feature_ids(const FeatureCounts& counts, Kind kind, const Pair& pair) {
  const std::size_t first_edge = counts.vertices, first_face = first_edge + counts.edges;
  switch (kind) {
    case Kind::vertex_face:
      return {pair.a, first_face + pair.b};
    case Kind::edge_edge:
      return {first_edge + pair.a, first_edge + pair.b};
    case Kind::vertex_edge:
      return {pair.a, first_edge + pair.b};
    case Kind::edge_face:
      return {first_edge + pair.a, first_face + pair.b};
    case Kind::vertex_vertex:
      break;
  }
  return {pair.a, pair.b};
}

std::array<std::size_t, 2> feature_ids(const Mesh& mesh, Kind kind, const Pair& pair) {
  return feature_ids({mesh.vertex_count, mesh.edges.size(), mesh.faces.size()}, kind, pair);
}

Positions::Positions(std::span<const Eigen::Vector3f> rows) {
  double* const to = allocate(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    Eigen::Map<Vec3>(to + 3 * i) = rows[i].cast<double>();
}

double* Positions::allocate(std::size_t count) {
  copy_ = std::make_shared<std::vector<Vec3>>(count);
  rows_ = *copy_;
  return count > 0 ? copy_->data()->data() : nullptr;
}

}  // namespace graze
