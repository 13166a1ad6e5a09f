#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "graze/io/file_error.h"
#include "graze/sim/elastic/tet_mesh.h"

namespace graze::io {

// Reads the tetrahedra of a Gmsh file (.msh, versions 4.0 and 4.1, ASCII).
//   (1) Vertices and tetrahedra keep the order of the file; vertices of no tetrahedron are left
//       out. Coordinates are the nearest doubles of the text. A tetrahedron whose volume, computed
//       in doubles, is negative has its last two corners exchanged.
//   (2) Points, lines and surfaces are skipped, and so are sections other than nodes and elements.
//       Volumes that are no tetrahedron of four nodes are an error: the solid would have holes.
//   (3) A file that breaks the format, is cut short, names nodes that are not there, has a node
//       twice or a coordinate that is not finite, holds no tetrahedron, or claims a size it does
//       not have throws FileError: "file:line: reason". Memory stays in proportion to the size of
//       the file, whatever it claims.
TetMesh read_tets(const std::filesystem::path& path);

// Writes version 4.1. read_tets() gives back the same, bit for bit, where every vertex is of a
// tetrahedron and all volumes are positive. NaN and infinity are an error. Throws FileError and
// then leaves no file behind.
void write_tets(const std::filesystem::path& path, const TetMesh& mesh);

// The same in memory; `name` stands for the file in messages. Numbers are converted under the
// host's rounding mode; read_tets() sees to it.
TetMesh parse_msh(std::string_view bytes, std::string_view name);
std::string format_msh(const TetMesh& mesh);  // all finite

}  // namespace graze::io
