#pragma once

#include <string>
#include <string_view>

#include "graze/io/mesh_files.h"

namespace graze::io {

// The formats of mesh_files.h in memory; `name` stands for the file in messages.
MeshFrame parse_ply(std::string_view bytes, std::string_view name);
std::string format_ply(const Mesh& mesh, std::span<const Vec3> positions);

// The edges that are no side of a face.
std::vector<Edge> rods_of(const Mesh& mesh);

// Adds the polygon's triangles.
inline void add_fan(std::span<const std::uint32_t> polygon, std::vector<Face>& faces) {
  for (std::size_t k = 2; k < polygon.size(); ++k)
    faces.push_back({polygon[0], polygon[k - 1], polygon[k]});
}

}  // namespace graze::io
