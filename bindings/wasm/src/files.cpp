#include <exception>
#include <span>
#include <string_view>

#include "graze/io/meshes/mesh_formats.h"
#include "results.h"

using namespace graze;
using graze::wasm::results;

// Reads the bytes of a mesh file; `name`, with the extension that names the format, stands for the
// file in messages. Returns 1, or 0 with the message as text. Numbers: the positions. Indices: the
// number of faces, the faces, then the rods.
GRAZE_EXPORT(read_mesh)
int read_mesh_bytes(const char* bytes, std::size_t size, const char* name, std::size_t name_size) {
  try {
    const io::MeshParts parts = io::parse_mesh({bytes, size}, {name, name_size});
    for (const Vec3& position : parts.positions) wasm::add(results().numbers, position);
    std::vector<std::uint32_t>& out = results().indices;
    out.push_back(static_cast<std::uint32_t>(parts.faces.size()));
    for (const Face& face : parts.faces) out.insert(out.end(), face.begin(), face.end());
    for (const Edge& rod : parts.rods) out.insert(out.end(), rod.begin(), rod.end());
    return 1;
  } catch (const std::exception& error) {
    results().text = error.what();
    return 0;
  }
}
