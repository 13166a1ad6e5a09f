#include "scene_recorder.h"

#include <cmath>

#include "graze/sim/rigid/contact_solver.h"

namespace graze::command {

RigidRecorder::RigidRecorder(io::Recording* recording, const RigidSystem& system)
    : recording_(recording), system_(system) {
  if (!recording_) return;
  for (std::size_t i = 0; i < system.bodies.size(); ++i) {
    const RigidBody& body = system.bodies[i];
    const RigidModel& model = system.model(body);
    recording_->add_body({(body.fixed ? "fixed " : "body ") + std::to_string(i),
                          model.vertices,
                          model.faces,
                          {},
                          {},
                          body.fixed ? std::array{0.30f, 0.31f, 0.33f} : std::array{0.f, 0.f, 0.f},
                          true});
  }
  add_frame(0);
}

void RigidRecorder::add_frame(double time) {
  if (!recording_) return;
  recording_->begin_frame(time);
  for (std::uint32_t i = 0; i < system_.bodies.size(); ++i)
    recording_->set_pose(i, system_.bodies[i].pose);
  std::set<std::pair<std::uint32_t, std::uint32_t>> touching;
  for (const BodyContact& contact : find_contacts(system_))
    if (const std::pair pair(contact.a, contact.b);
        touching.insert(pair).second && !touching_.contains(pair))
      recording_->add_contact(
          {time, contact.point, contact.normal, "bodies", contact.a, contact.b, {}, {}});
  touching_ = std::move(touching);
}

MeshRecorder::MeshRecorder(io::Recording* recording, const std::string& name, const Mesh& mesh,
                           std::span<const Vec3> positions, double time)
    : recording_(recording), mesh_(mesh), time_(time) {
  if (!recording_) return;
  body_ = recording_->add_body(io::recorded_body(name, mesh, positions));
  recording_->begin_frame(time);
  before_.assign(positions.begin(), positions.end());
}

void MeshRecorder::add_frame(double time, std::span<const Vec3> positions,
                             std::span<const ReachedPair> met) {
  if (!recording_) return;
  add_contacts(time, positions, met);
  recording_->begin_frame(time);
  recording_->set_positions(body_, positions);
  before_.assign(positions.begin(), positions.end());
  time_ = time;
}

void MeshRecorder::add_contacts(double time, std::span<const Vec3> positions,
                                std::span<const ReachedPair> met) {
  std::set<std::pair<PairKind, Pair>> touching;
  for (const ReachedPair& reached : met) {
    const auto features = feature_vertices(mesh_, reached.kind, reached.pair);
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
    recording_->add_contact({time_ + reached.toi * (time - time_), point / weights, reached.normal,
                             name(reached.kind), body_, body_, features.a, features.b});
  }
  touching_ = std::move(touching);
}

FeatureVertices feature_vertices(const Mesh& mesh, PairKind kind, const Pair& pair) {
  const auto edge = [&](std::uint32_t e) {
    return std::vector<std::uint32_t>(mesh.edges[e].begin(), mesh.edges[e].end());
  };
  switch (kind) {
    case PairKind::vertex_face:
      return {{pair.a}, {mesh.faces[pair.b].begin(), mesh.faces[pair.b].end()}};
    case PairKind::edge_edge:
      return {edge(pair.a), edge(pair.b)};
    case PairKind::vertex_edge:
      return {{pair.a}, edge(pair.b)};
    case PairKind::vertex_vertex:
      return {{pair.a}, {pair.b}};
  }
  return {};
}

}  // namespace graze::command
