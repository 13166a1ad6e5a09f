#include <algorithm>
#include <iterator>

#include "graze/io/append_number.h"
#include "graze/io/line_reader.h"
#include "graze/io/meshes/mesh_formats.h"

namespace graze::io {
namespace {

class ObjReader {
 public:
  ObjReader(std::string_view text, std::string_view name) : lines_(text, name, '#'), name_(name) {}

  MeshParts read() {
    for (bool first = true; lines_.next_line(); first = false) {
      const std::string_view word = next_word();
      if (word == "v")
        read_vertex();
      else if (word == "f")
        read_face();
      else if (word == "l")
        read_line();
      else if (first && is_count(word))
        skip_counts();
      else if (!is_letter(word[0]))
        lines_.fail(excerpt(word) + " is no OBJ statement");
      while (!next_word().empty()) {
      }
    }
    if (largest_ > positions_.size())
      throw FileError(name_, largest_line_,
                      no_such_vertex(static_cast<std::int64_t>(largest_), positions_.size(), 1));
    return {std::move(positions_), std::move(faces_), std::move(rods_)};
  }

 private:
  static bool is_count(std::string_view word) {
    return std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
  }
  static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

  // Returns the next word of the statement. A backslash at the end of a line continues it.
  std::string_view next_word() {
    std::string_view word = lines_.word();
    while (word == "\\" && lines_.line_is_done() && lines_.next_line()) word = lines_.word();
    return word;
  }

  // Skips the line of counts that some programs write before the statements.
  void skip_counts() {
    for (std::string_view word = next_word(); !word.empty(); word = next_word())
      if (!is_count(word)) lines_.fail(excerpt(word) + " is no count");
  }

  // Reads a vertex. A weight or a colour after the coordinates is skipped.
  void read_vertex() {
    if (positions_.size() == Mesh::max_vertices) lines_.fail("too many vertices");
    Vec3 point;
    for (double& x : point) x = lines_.to_number<double>(next_word(), "a coordinate");
    positions_.push_back(point);
  }

  // Reads the vertex indices of "12", "12/3", "12//4", "12/3/4" and so on. Indices count from 1;
  // negative indices count back from the latest vertex; positive ones may name later vertices.
  void read_corners() {
    corners_.clear();
    for (std::string_view word = next_word(); !word.empty(); word = next_word()) {
      const auto number =
          lines_.to_number<std::int64_t>(word.substr(0, word.find('/')), "a vertex");
      const auto known = static_cast<std::int64_t>(positions_.size());
      if (number == 0 || number < -known) lines_.fail(no_such_vertex(number, positions_.size(), 1));
      const auto index = static_cast<std::uint64_t>(number < 0 ? known + number : number - 1);
      if (index >= Mesh::max_vertices)
        lines_.fail("a vertex " + excerpt(std::to_string(number)) + " is out of range");
      if (index + 1 > largest_) {
        largest_ = index + 1;
        largest_line_ = lines_.line_number();
      }
      corners_.push_back(static_cast<std::uint32_t>(index));
    }
  }

  void read_face() {
    read_corners();
    if (corners_.size() < 3)
      lines_.fail("a face has " + std::to_string(corners_.size()) + " corners");
    add_fan(corners_, faces_);
  }

  void read_line() {
    read_corners();
    if (corners_.size() < 2)
      lines_.fail("a line has " + std::to_string(corners_.size()) + " points");
    for (std::size_t k = 1; k < corners_.size(); ++k)
      rods_.push_back({corners_[k - 1], corners_[k]});
  }

  LineReader lines_;
  std::string_view name_;
  std::vector<Vec3> positions_;
  std::vector<Face> faces_;
  std::vector<Edge> rods_;
  std::vector<std::uint32_t> corners_;
  std::size_t largest_ = 0, largest_line_ = 0;  // the largest index, from 1, and its line
};

// Appends a statement like "f 1 2 3\n".
void append_statement(std::string& text, char statement, const auto& numbers) {
  text += statement;
  for (const auto number : numbers) append_number(text += ' ', number);
  text += '\n';
}

// Returns the indices counted from 1.
auto from_one(auto vertices) {
  for (std::uint32_t& vertex : vertices) ++vertex;
  return vertices;
}

}  // namespace

MeshParts parse_obj(std::string_view bytes, std::string_view name) {
  return ObjReader(bytes, name).read();
}

std::string format_obj(const Mesh& mesh, std::span<const Vec3> positions) {
  std::string text;
  for (const Vec3& point : positions) append_statement(text, 'v', point);
  for (const Face& face : mesh.faces) append_statement(text, 'f', from_one(face));
  for (const Edge& rod : rods_of(mesh)) append_statement(text, 'l', from_one(rod));
  return text;
}

}  // namespace graze::io
