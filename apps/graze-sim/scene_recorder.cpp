#include "scene_recorder.h"

#include <array>
#include <cmath>

namespace graze::command {

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
