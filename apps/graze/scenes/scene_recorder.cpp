#include "scenes/scene_recorder.h"

#include <algorithm>
#include <array>
#include <cmath>
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

RigidRecorder::RigidRecorder(io::Recording* recording, const sim::rigid::Model& model,
                             const sim::rigid::State& state)
    : recording_(recording), model_(model), state_(state) {
  if (!recording_) return;
  for (std::size_t i = 0; i < state.bodies.size(); ++i) {
    const sim::rigid::Body& body = state.bodies[i];
    const sim::rigid::Shape& shape = model.shapes[body.shape];
    recording_->add_body(
        {(body.is_static ? "fixed " : "body ") + std::to_string(i),
         {shape.vertices().begin(), shape.vertices().end()},
         {shape.faces().begin(), shape.faces().end()},
         {},
         {},
         body.is_static ? std::array{0.30f, 0.31f, 0.33f} : std::array{0.f, 0.f, 0.f},
         true});
  }
  add_frame(0);
}

void RigidRecorder::add_frame(double time) {
  if (!recording_) return;
  recording_->begin_frame(time);
  for (std::uint32_t i = 0; i < state_.bodies.size(); ++i)
    recording_->set_pose(i, state_.bodies[i].pose);
  std::set<std::pair<std::uint32_t, std::uint32_t>> touching;
  for (const sim::rigid::Contact& contact : state_.contacts) {
    const std::pair pair(contact.a, contact.b);
    if (contact.distance > 2 * model_.gap || !touching.insert(pair).second ||
        touching_.contains(pair))
      continue;
    recording_->add_contact({time,
                             contact.point,
                             contact.normal,
                             "bodies",
                             contact.a,
                             contact.b,
                             {},
                             {},
                             io::RecordedContact::unnamed,
                             io::RecordedContact::unnamed});
  }
  touching_ = std::move(touching);
}

MeshRecorder::MeshRecorder(io::Recording* recording, const std::string& name, const Mesh& mesh,
                           std::span<const Vec3> positions, double time, double radius)
    : recording_(recording), time_(time) {
  if (!recording_) return;
  mesh_.emplace_back(*recording_, name, mesh, positions, radius);
  recording_->begin_frame(time);
  before_.assign(positions.begin(), positions.end());
}

void MeshRecorder::add_frame(double time, std::span<const Vec3> positions,
                             std::span<const sim::edges::Contact> met) {
  if (!recording_) return;
  add_contacts(time, positions, met);
  recording_->begin_frame(time);
  mesh_[0].set_positions(positions);
  before_.assign(positions.begin(), positions.end());
  time_ = time;
}

void MeshRecorder::add_contacts(double time, std::span<const Vec3> positions,
                                std::span<const sim::edges::Contact> met) {
  std::set<std::pair<Kind, Pair>> touching;
  for (const sim::edges::Contact& reached : met) {
    const std::pair key(reached.kind, reached.pair);
    if (!touching.insert(key).second || touching_.contains(key)) continue;
    Vec3 point = Vec3::Zero();
    double weights = 0;
    for (std::size_t k = 0; k < reached.stencil.size; ++k) {
      const double weight = std::abs(reached.stencil.weights[k]);
      const std::uint32_t vertex = reached.stencil.vertices[k];
      point += weight * ((1 - reached.toi) * before_[vertex] + reached.toi * positions[vertex]);
      weights += weight;
    }
    mesh_[0].add_contact(time_ + reached.toi * (time - time_), point / weights, reached.normal,
                         reached.kind, reached.pair);
  }
  touching_ = std::move(touching);
}

}  // namespace graze::command
