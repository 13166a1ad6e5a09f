#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "graze/io/recording.h"
#include "graze/sim/edges.h"
#include "graze/sim/rigid.h"
#include "terminal/recorded_mesh.h"

// Recorders of scenes. A recorder with a null recording does nothing. The constructor
// adds the bodies and the first frame. A contact is recorded in the frame in which it begins.
namespace graze::command {

// Records rigid bodies: the start at time 0, then one frame or contact per call.
class RigidRecorder {
 public:
  RigidRecorder(io::Recording* recording, const sim::rigid::Model& model,
                const sim::rigid::State& state);  // both outlive the recorder
  void add_frame(double time);

 private:
  io::Recording* recording_;
  const sim::rigid::Model& model_;
  const sim::rigid::State& state_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> touching_;
};

// Records a mesh that deforms: cloth, nets, cables, soft bodies.
class MeshRecorder {
 public:
  MeshRecorder(io::Recording* recording, const std::string& name, const Mesh& mesh,
               std::span<const Vec3> positions, double time = 0, double radius = 0);
  // Adds a frame. `met`: the contacts since the last frame, with toi as the fraction of that time.
  void add_frame(double time, std::span<const Vec3> positions,
                 std::span<const sim::edges::Contact> met = {});

 private:
  void add_contacts(double time, std::span<const Vec3> positions,
                    std::span<const sim::edges::Contact> met);

  io::Recording* recording_;
  std::vector<RecordedMesh> mesh_;  // one, or none
  std::vector<Vec3> before_;
  double time_ = 0;
  std::set<std::pair<Kind, Pair>> touching_;
};

}  // namespace graze::command
