#pragma once

#include <algorithm>
#include <cstring>
#include <string>

#include "graze/io/meshes/mesh_formats.h"
#include "test/fuzz/require.h"

namespace graze::fuzz {

inline void require_equal(const io::MeshFrame& a, const io::MeshFrame& b, const char* promise) {
  require(a.mesh == b.mesh && a.positions.size() == b.positions.size() &&
              (a.positions.empty() || std::memcmp(a.positions.data(), b.positions.data(),
                                                  a.positions.size() * sizeof(Vec3)) == 0),
          promise);
}

// A mesh that is read has valid indices, is no larger than the file, and is read back the same
// after it is written, as .ply and, if finite, as .obj.
inline int check_mesh(io::MeshParts (*parse)(std::string_view, std::string_view),
                      std::string_view bytes) {
  io::MeshFrame frame;
  try {
    frame = parse(bytes, "input").frame();
  } catch (const io::FileError&) {
    return 0;
  }
  const auto& [mesh, positions] = frame;
  require(positions.size() == mesh.vertex_count, "as many positions as vertices");
  require(positions.size() + mesh.faces.size() + mesh.edges.size() <= 4 * bytes.size(),
          "no more elements than the file has room for");
  for (const Face& face : mesh.faces)
    require(*std::max_element(face.begin(), face.end()) < positions.size(), "faces name vertices");
  for (const Edge& edge : mesh.edges)
    require(edge[0] < edge[1] && edge[1] < positions.size(), "edges name vertices, in order");
  require_equal(frame, io::parse_ply(io::format_ply(mesh, positions), "written").frame(),
                "the same from .ply");
  if (std::all_of(positions.begin(), positions.end(), [](const Vec3& x) { return x.allFinite(); }))
    require_equal(frame, io::parse_obj(io::format_obj(mesh, positions), "written").frame(),
                  "the same from .obj");
  return 0;
}

}  // namespace graze::fuzz
