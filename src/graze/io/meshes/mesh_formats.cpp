#include "graze/io/meshes/mesh_formats.h"

#include <algorithm>
#include <cctype>
#include <string>

#include "graze/core/numeric/float_environment.h"

namespace graze::io {
namespace {

constexpr MeshFormat formats[] = {
    {".ply", parse_ply, format_ply, true},
    {".obj", parse_obj, format_obj, false},
    {".off", parse_off, nullptr, false},
    {".stl", parse_stl, nullptr, false},
};

}  // namespace

const MeshFormat* find_format(std::string_view name) {
  const std::size_t dot = name.find_last_of("./");
  // A name that begins with its only dot has no extension.
  if (dot == std::string_view::npos || dot == 0 || name[dot - 1] == '/') return nullptr;
  std::string extension(name.substr(dot));
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const MeshFormat& format : formats)
    if (format.extension == extension) return &format;
  return nullptr;
}

const MeshFormat& format_of(std::string_view name) {
  if (const MeshFormat* format = find_format(name)) return *format;
  throw FileError(std::string(name), "mesh files end in .ply, .obj, .off or .stl");
}

MeshParts parse_mesh(std::string_view bytes, std::string_view name) {
  const MeshFormat& format = format_of(name);
  const FloatEnvironment environment;
  MeshParts parts = format.parse(bytes, name);
  if (parts.positions.empty()) throw FileError(std::string(name), "holds no vertex");
  return parts;
}

std::vector<Edge> rods_of(const Mesh& mesh) {
  const Mesh sides = make_mesh(mesh.vertex_count, mesh.faces);
  const auto before = [](const Edge& a, const Edge& b) {
    return a[1] != b[1] ? a[1] < b[1] : a[0] < b[0];
  };
  std::vector<Edge> rods;
  std::set_difference(mesh.edges.begin(), mesh.edges.end(), sides.edges.begin(), sides.edges.end(),
                      std::back_inserter(rods), before);
  return rods;
}

}  // namespace graze::io
