#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graze/io/mesh_files.h"

namespace graze::io {

// The contents of a mesh file, in its order.
struct MeshParts {
  std::vector<Vec3> positions;
  std::vector<Face> faces;
  std::vector<Edge> rods;  // either end first; may be sides of faces

  MeshFrame frame() && {
    const std::size_t vertices = positions.size();
    return {make_mesh(vertices, std::move(faces), rods), std::move(positions)};
  }
};

// The formats of read_mesh() and write_mesh() in memory. `name` stands for the file in messages.
// The caller sets the rounding mode to nearest. The mesh may be empty.
MeshParts parse_ply(std::string_view bytes, std::string_view name);
// One of `parts` parts of a PLY file, of about the same size: consecutive vertices, faces and rods.
// Only their rows are read. Throws FileError for a file that is not binary and for rows that have
// no fixed size: faces that are not triangles, strips, other lists. These messages contain
// conversion_of(name).
struct PlyPart : MeshParts {
  std::size_t vertices = 0, faces_of_all = 0;  // of all parts
};
PlyPart parse_ply_part(std::string_view bytes, std::string_view name, std::size_t part,
                       std::size_t parts);
// Returns the command that writes the mesh of a file in the format of parse_ply_part(), into the
// current folder.
std::string conversion_of(const std::filesystem::path& file);
MeshParts parse_obj(std::string_view bytes, std::string_view name);
MeshParts parse_off(std::string_view bytes, std::string_view name);
MeshParts parse_stl(std::string_view bytes, std::string_view name);

std::string format_ply(const Mesh& mesh, std::span<const Vec3> positions);
std::string format_obj(const Mesh& mesh, std::span<const Vec3> positions);  // all finite

// A row of the table of formats.
struct MeshFormat {
  std::string_view extension;  // in lower case, with its dot
  MeshParts (*parse)(std::string_view bytes, std::string_view name);
  std::string (*format)(const Mesh&, std::span<const Vec3>);  // null: not written
  bool non_finite;  // the format can hold NaN and infinity
};

// Returns the format that the extension of a file's name stands for, in either case. find_format()
// returns null if there is none; format_of() throws FileError.
const MeshFormat* find_format(std::string_view name);
const MeshFormat& format_of(std::string_view name);

// Parses the bytes of a mesh file, as read_mesh() does with a file of this name. Throws FileError.
MeshParts parse_mesh(std::string_view bytes, std::string_view name);

// Returns the edges that are no side of a face.
std::vector<Edge> rods_of(const Mesh& mesh);

// Appends the triangles of the polygon.
inline void add_fan(std::span<const std::uint32_t> polygon, std::vector<Face>& faces) {
  for (std::size_t k = 2; k < polygon.size(); ++k)
    faces.push_back({polygon[0], polygon[k - 1], polygon[k]});
}

// Returns the message about an index in a file that is no vertex. `from`: the index of the first
// vertex in this format, 0 or 1.
inline std::string no_such_vertex(std::int64_t index, std::size_t vertices, int from) {
  return "index " + std::to_string(index) + " names no vertex: there are " +
         std::to_string(vertices) + ", counted from " + std::to_string(from);
}

}  // namespace graze::io
