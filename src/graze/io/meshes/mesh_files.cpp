#include "graze/io/mesh_files.h"

#include <algorithm>
#include <cassert>
#include <string>

#include "graze/io/atomic_file.h"
#include "graze/io/mapped_file.h"
#include "graze/io/meshes/mesh_formats.h"

namespace graze::io {
namespace {

// Returns the difference between the meshes of two frames; empty if there is none.
std::string difference(const Mesh& start, const Mesh& end) {
  const auto counts = [](std::size_t a, std::size_t b, const char* what) {
    return std::to_string(b) + " " + what + " where the first frame has " + std::to_string(a);
  };
  const auto first = [](const auto& a, const auto& b, const char* what) {
    return std::string(what) + " " +
           std::to_string(std::mismatch(a.begin(), a.end(), b.begin()).first - a.begin()) +
           " (counted from 0) has other vertices than in the first frame";
  };
  if (start.vertex_count != end.vertex_count)
    return counts(start.vertex_count, end.vertex_count, "vertices");
  if (start.faces.size() != end.faces.size())
    return counts(start.faces.size(), end.faces.size(), "faces");
  if (start.faces != end.faces) return first(start.faces, end.faces, "face");
  if (start.edges.size() != end.edges.size())
    return counts(start.edges.size(), end.edges.size(), "edges");
  if (start.edges != end.edges) return first(start.edges, end.edges, "edge");
  return {};
}

MeshParts read_parts(const std::filesystem::path& path) {
  format_of(path.string());  // an unknown extension is refused before the file is opened
  return parse_mesh(MappedFile(path).bytes(), path.string());
}

}  // namespace

MeshFrame read_mesh(const std::filesystem::path& path) {
  return read_parts(path).frame();
}

bool is_mesh_file(const std::filesystem::path& path) {
  return find_format(path.string()) != nullptr;
}

void require_same_mesh(const std::filesystem::path& first_path, const Mesh& first,
                       const std::filesystem::path& second_path, const Mesh& second) {
  const std::string reason = difference(first, second);
  if (!reason.empty())
    throw FileError(second_path.string(), reason + " (" + first_path.string() + ")");
}

OwnedMotion read_motion(const std::filesystem::path& start, const std::filesystem::path& end) {
  MeshParts parts = read_parts(start), later = read_parts(end);
  const bool same = parts.positions.size() == later.positions.size() &&
                    parts.faces == later.faces && parts.rods == later.rods;
  MeshFrame first = std::move(parts).frame();
  if (same) return {std::move(first.mesh), std::move(first.positions), std::move(later.positions)};
  MeshFrame second = std::move(later).frame();  // the rods may be listed in another order
  require_same_mesh(start, first.mesh, end, second.mesh);
  return {std::move(first.mesh), std::move(first.positions), std::move(second.positions)};
}

void write_mesh(const std::filesystem::path& path, const Mesh& mesh,
                std::span<const Vec3> positions) {
  assert(positions.size() == mesh.vertex_count);
  const MeshFormat& format = format_of(path.string());
  if (!format.format) throw FileError(path.string(), "meshes are written as .ply or .obj");
  if (positions.empty()) throw FileError(path.string(), "the mesh to write has no vertex");
  for (std::size_t v = 0; v < positions.size(); ++v)
    if (!format.non_finite && !positions[v].allFinite())
      throw FileError(path.string(), "vertex " + std::to_string(v) +
                                         " (counted from 0) has NaN or infinity; write .ply");
  write_file(path, format.format(mesh, positions));
}

}  // namespace graze::io
