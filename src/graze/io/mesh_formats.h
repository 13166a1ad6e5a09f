#pragma once

#include <string>
#include <string_view>

#include "graze/io/mesh_files.h"

namespace graze::io {

// The formats of mesh_files.h in memory; `name` stands for the file in messages.
// Numbers are converted under the host's rounding mode; read_mesh() sees to it.
MeshFrame parse_ply(std::string_view bytes, std::string_view name);
MeshFrame parse_obj(std::string_view bytes, std::string_view name);
MeshFrame parse_off(std::string_view bytes, std::string_view name);
MeshFrame parse_stl(std::string_view bytes, std::string_view name);

std::string format_ply(const Mesh& mesh, std::span<const Vec3> positions);
std::string format_obj(const Mesh& mesh, std::span<const Vec3> positions);  // all finite

// The edges that are no side of a face.
std::vector<Edge> rods_of(const Mesh& mesh);

// Adds the polygon's triangles.
inline void add_fan(std::span<const std::uint32_t> polygon, std::vector<Face>& faces) {
  for (std::size_t k = 2; k < polygon.size(); ++k)
    faces.push_back({polygon[0], polygon[k - 1], polygon[k]});
}

}  // namespace graze::io
