#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "graze/io/record.h"
#include "graze/sim/edges/edge_contacts.h"
#include "graze/sim/rigid/rigid_system.h"

// What commands and scenes record. A recorder without a recording does nothing. It adds its bodies
// when it is made; contacts of a scene are recorded where they begin, not as long as they last.
namespace graze::command {

// A mesh in a recording: one body for each part that hangs together (one for all where there are
// very many), so that they are told apart by colour.
class RecordedMesh {
 public:
  RecordedMesh(io::Recording& recording, const std::string& name, const Mesh& mesh,
               std::span<const Vec3> positions, double radius = 0);
  void set_positions(std::span<const Vec3> positions);  // in the newest frame
  void add_contact(double time, const Vec3& point, const Vec3& normal, PairKind kind,
                   const Pair& pair);

 private:
  io::Recording& recording_;
  const Mesh& mesh_;
  std::vector<std::uint32_t> body_of_, index_in_;  // of each vertex
  std::vector<std::uint32_t> bodies_;
  std::vector<std::vector<Vec3>> parts_;
};

// Records the start, time 0, and then what it is told.
class RigidRecorder {
 public:
  RigidRecorder(io::Recording* recording, const RigidSystem& system);  // which outlives it
  void add_frame(double time);

 private:
  io::Recording* recording_;
  const RigidSystem& system_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> touching_;
};

// A mesh that deforms: cloth, nets, cables, soft bodies. The first frame is that of the start.
class MeshRecorder {
 public:
  MeshRecorder(io::Recording* recording, const std::string& name, const Mesh& mesh,
               std::span<const Vec3> positions, double time = 0, double radius = 0);
  // `met`: who came within reach since the last frame, at which part of the way.
  void add_frame(double time, std::span<const Vec3> positions,
                 std::span<const ReachedPair> met = {});

 private:
  void add_contacts(double time, std::span<const Vec3> positions, std::span<const ReachedPair> met);

  io::Recording* recording_;
  std::vector<RecordedMesh> mesh_;  // one, or none
  std::vector<Vec3> before_;
  double time_ = 0;
  std::set<std::pair<PairKind, Pair>> touching_;
};

}  // namespace graze::command
