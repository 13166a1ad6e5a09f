#pragma once

#include <string>
#include <string_view>

#include "graze/io/mesh_files.h"

namespace graze::io {

// Reads and writes the format of read_tets() and write_tets() in memory. `name` stands for the file
// in messages. The caller sets the rounding mode to nearest.
TetMesh parse_msh(std::string_view bytes, std::string_view name);
std::string format_msh(const TetMesh& mesh);  // all positions finite

}  // namespace graze::io
