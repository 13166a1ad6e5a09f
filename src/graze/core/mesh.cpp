#include "graze/mesh.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

namespace graze {
namespace {

// Edges as sortable numbers: the larger vertex in the upper 32 bits, the smaller in the lower ones.
using Keys = std::vector<std::uint64_t>;

void sort_and_unite(Keys& keys) {
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
}

}  // namespace

Mesh make_mesh(std::size_t vertex_count, std::vector<Face> faces, const std::vector<Edge>& rods) {
  assert(vertex_count <= Mesh::max_vertices);
  const auto add = [&](Keys& keys, std::uint32_t a, std::uint32_t b) {
    assert(a < vertex_count && b < vertex_count);
    if (a != b) keys.push_back(std::uint64_t{std::max(a, b)} << 32 | std::min(a, b));
  };
  Keys sides, others, edges;
  sides.reserve(3 * faces.size());
  for (const Face& face : faces)
    for (std::size_t k = 0; k < 3; ++k) add(sides, face[k], face[(k + 1) % 3]);
  for (const Edge& rod : rods) add(others, rod[0], rod[1]);
  sort_and_unite(sides);
  sort_and_unite(others);
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

std::array<std::size_t, 2> feature_ids(const Mesh& mesh, Kind kind, const Pair& pair) {
  switch (kind) {
    case Kind::vertex_face:
      return {pair.a, mesh.face_id(pair.b)};
    case Kind::edge_edge:
      return {mesh.edge_id(pair.a), mesh.edge_id(pair.b)};
    case Kind::vertex_edge:
      return {pair.a, mesh.edge_id(pair.b)};
    case Kind::edge_face:
      return {mesh.edge_id(pair.a), mesh.face_id(pair.b)};
    case Kind::vertex_vertex:
      break;
  }
  return {pair.a, pair.b};
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
