#pragma once

#include <span>
#include <string>
#include <vector>

#include "graze/find_pairs.h"
#include "graze/io/recording.h"
#include "graze/mesh.h"

namespace graze::command {

// A mesh in a recording: one body per connected part, each with its own colour, or one body for all
// if there are very many.
class RecordedMesh {
 public:
  RecordedMesh(io::Recording& recording, const std::string& name, const Mesh& mesh,
               std::span<const Vec3> positions, double radius = 0);
  void set_positions(std::span<const Vec3> positions);  // in the last frame
  void add_contact(double time, const Vec3& point, const Vec3& normal, Kind kind, const Pair& pair);

 private:
  io::Recording& recording_;
  const Mesh& mesh_;
  std::vector<std::uint32_t> body_of_, index_in_;  // of each vertex
  std::vector<std::uint32_t> bodies_;
  std::vector<std::vector<Vec3>> parts_;
};

}  // namespace graze::command
