#include "graze/io/line_reader.h"
#include "graze/io/meshes/mesh_formats.h"

namespace graze::io {
namespace {

// Returns whether the word is "OFF", possibly after any of ST, C, N in this order. Sets `more` if
// there is such a prefix: then more numbers follow the coordinates of each vertex.
bool is_keyword(std::string_view word, bool& more) {
  const std::size_t length = word.size();
  for (const std::string_view prefix : {"ST", "C", "N"})
    if (word.starts_with(prefix)) word.remove_prefix(prefix.size());
  more = word.size() != length;
  return word == "OFF";
}

}  // namespace

MeshParts parse_off(std::string_view bytes, std::string_view name) {
  LineReader lines(bytes, name, '#');
  const auto next_line = [&] {
    if (!lines.next_line()) lines.fail("the file ends before its last element");
  };
  bool more = false;
  if (!lines.next_line() || !is_keyword(lines.word(), more)) lines.fail("is not an OFF file");
  if (lines.line_is_done()) next_line();
  const auto vertices = lines.number<std::uint64_t>("the number of vertices");
  const auto polygons = lines.number<std::uint64_t>("the number of faces");
  if (!lines.line_is_done()) lines.number<std::uint64_t>("the number of edges");
  if (!lines.line_is_done()) lines.fail("the line goes on after the numbers");

  // A vertex takes at least 6 bytes, "0 0 0\n", a face 8, "3 0 0 0\n"; the last "\n" may be absent.
  const auto check = [&](std::uint64_t count, std::size_t size, const char* what) {
    if (count > Mesh::max_vertices || count > (lines.rest().size() + 1) / size)
      lines.fail("the header claims " + std::to_string(count) + " " + what +
                 ", more than the file can hold");
  };
  check(vertices, 6, "vertices");
  check(polygons, 8, "faces");
  std::vector<Vec3> positions(vertices);
  for (Vec3& point : positions) {
    next_line();
    for (double& x : point) x = lines.number<double>("a coordinate");
    if (!more && !lines.line_is_done()) lines.fail("a vertex has more than three coordinates");
  }
  std::vector<Face> faces;
  faces.reserve(polygons);
  std::vector<std::uint32_t> polygon;
  for (std::uint64_t i = 0; i < polygons; ++i) {
    next_line();
    const auto corners = lines.number<std::uint64_t>("the number of corners");
    if (corners < 3) lines.fail("a face has " + std::to_string(corners) + " corners");
    polygon.clear();
    for (std::uint64_t k = 0; k < corners; ++k) {
      const auto vertex = lines.number<std::int64_t>("a vertex");
      if (vertex < 0 || static_cast<std::uint64_t>(vertex) >= vertices)
        lines.fail(no_such_vertex(vertex, vertices, 0));
      polygon.push_back(static_cast<std::uint32_t>(vertex));
    }
    add_fan(polygon, faces);  // the rest of the line is a colour
  }
  if (lines.next_line()) lines.fail("the file goes on after its last face");
  return {std::move(positions), std::move(faces), {}};
}

}  // namespace graze::io
