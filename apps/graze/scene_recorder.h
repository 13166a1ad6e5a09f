#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "graze/io/record.h"
#include "graze/sim/edges/edge_contacts.h"
#include "graze/sim/rigid/rigid_system.h"

// What scenes record. A recorder without a recording does nothing. It adds its bodies and the frame
// of the start when it is made; contacts are recorded where they begin, not as long as they last.
namespace graze::command {

class RigidRecorder {
 public:
  RigidRecorder(io::Recording* recording, const RigidSystem& system);  // which outlives it
  void add_frame(double time);

 private:
  io::Recording* recording_;
  const RigidSystem& system_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> touching_;
};

// A mesh that deforms: cloth, nets, cables, soft bodies.
class MeshRecorder {
 public:
  MeshRecorder(io::Recording* recording, const std::string& name, const Mesh& mesh,
               std::span<const Vec3> positions, double time = 0);
  // `met`: who came within reach since the last frame, at which part of the way.
  void add_frame(double time, std::span<const Vec3> positions,
                 std::span<const ReachedPair> met = {});

 private:
  void add_contacts(double time, std::span<const Vec3> positions, std::span<const ReachedPair> met);

  io::Recording* recording_;
  const Mesh& mesh_;
  std::uint32_t body_ = 0;
  std::vector<Vec3> before_;
  double time_ = 0;
  std::set<std::pair<PairKind, Pair>> touching_;
};

// The vertices of the two features of a pair.
struct FeatureVertices {
  std::vector<std::uint32_t> a, b;
};
FeatureVertices feature_vertices(const Mesh& mesh, PairKind kind, const Pair& pair);

}  // namespace graze::command
