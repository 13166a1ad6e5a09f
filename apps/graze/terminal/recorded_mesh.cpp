#include "terminal/recorded_mesh.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace graze::command {
namespace {

// Returns the vertices of the two features of a pair.
std::array<std::vector<std::uint32_t>, 2> feature_vertices(const Mesh& mesh, Kind kind,
                                                           const Pair& pair) {
  const auto edge = [&](std::uint32_t e) {
    return std::vector<std::uint32_t>(mesh.edges[e].begin(), mesh.edges[e].end());
  };
  switch (kind) {
    case Kind::vertex_face:
      return {{{pair.a}, {mesh.faces[pair.b].begin(), mesh.faces[pair.b].end()}}};
    case Kind::edge_edge:
      return {edge(pair.a), edge(pair.b)};
    case Kind::vertex_edge:
      return {{{pair.a}, edge(pair.b)}};
    case Kind::vertex_vertex:
      return {{{pair.a}, {pair.b}}};
    case Kind::edge_face:
      return {edge(pair.a), {mesh.faces[pair.b].begin(), mesh.faces[pair.b].end()}};
  }
  return {};
}

// Returns the number of the connected part of each vertex. All free points are one part.
std::vector<std::uint32_t> parts_of(const Mesh& mesh, std::uint32_t& count) {
  std::vector<std::uint32_t> root(mesh.vertex_count);
  std::iota(root.begin(), root.end(), 0u);
  const auto find = [&](std::uint32_t vertex) {
    while (root[vertex] != vertex) vertex = root[vertex] = root[root[vertex]];
    return vertex;
  };
  for (const Edge& edge : mesh.edges) {
    const std::uint32_t a = find(edge[0]), b = find(edge[1]);
    root[std::max(a, b)] = std::min(a, b);
  }
  for (const std::uint32_t point : mesh.points) root[point] = mesh.points[0];
  std::vector<std::uint32_t> part(mesh.vertex_count);
  count = 0;
  for (std::uint32_t vertex = 0; vertex < part.size(); ++vertex)
    part[vertex] = find(vertex) == vertex ? count++ : part[find(vertex)];
  constexpr std::uint32_t most = 200;
  if (count <= most) return part;
  count = 1;
  return std::vector<std::uint32_t>(mesh.vertex_count);
}

}  // namespace

RecordedMesh::RecordedMesh(io::Recording& recording, const std::string& name, const Mesh& mesh,
                           std::span<const Vec3> positions, double radius)
    : recording_(recording), mesh_(mesh), index_in_(mesh.vertex_count) {
  std::uint32_t count = 0;
  body_of_ = parts_of(mesh, count);
  std::vector<io::RecordedBody> bodies(count);
  for (std::uint32_t part = 0; part < count; ++part) {
    bodies[part].name = count == 1 ? name : name + " " + std::to_string(part + 1);
    bodies[part].radius = radius;
  }
  for (std::size_t vertex = 0; vertex < mesh.vertex_count; ++vertex) {
    std::vector<Vec3>& vertices = bodies[body_of_[vertex]].vertices;
    index_in_[vertex] = static_cast<std::uint32_t>(vertices.size());
    vertices.push_back(positions[vertex]);
  }
  const auto inside = [&](auto corners) {
    for (std::uint32_t& vertex : corners) vertex = index_in_[vertex];
    return corners;
  };
  for (const Face& face : mesh.faces) bodies[body_of_[face[0]]].faces.push_back(inside(face));
  for (const std::uint32_t rod : mesh.rods)
    bodies[body_of_[mesh.edges[rod][0]]].edges.push_back(inside(mesh.edges[rod]));
  for (const std::uint32_t point : mesh.points)
    bodies[body_of_[point]].points.push_back(index_in_[point]);
  for (io::RecordedBody& body : bodies) {
    parts_.emplace_back(body.vertices.size());
    bodies_.push_back(recording.add_body(std::move(body)));
  }
}

void RecordedMesh::set_positions(std::span<const Vec3> positions) {
  for (std::size_t vertex = 0; vertex < positions.size(); ++vertex)
    parts_[body_of_[vertex]][index_in_[vertex]] = positions[vertex];
  for (std::size_t part = 0; part < parts_.size(); ++part)
    recording_.set_positions(bodies_[part], parts_[part]);
}

void RecordedMesh::add_contact(double time, const Vec3& point, const Vec3& normal, Kind kind,
                               const Pair& pair) {
  auto features = feature_vertices(mesh_, kind, pair);
  std::array<std::uint32_t, 2> bodies{};
  for (std::size_t side = 0; side < 2; ++side) {
    bodies[side] = bodies_[body_of_[features[side][0]]];
    for (std::uint32_t& vertex : features[side]) vertex = index_in_[vertex];
  }
  const auto ids = feature_ids(mesh_, kind, pair);
  recording_.add_contact({time, point, normal, name(kind), bodies[0], bodies[1], features[0],
                          features[1], static_cast<std::uint32_t>(ids[0]),
                          static_cast<std::uint32_t>(ids[1])});
}

}  // namespace graze::command
