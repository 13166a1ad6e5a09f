#include "graze/io/meshes/tet_files.h"

#include <Eigen/Geometry>
#include <charconv>
#include <cmath>
#include <iterator>
#include <unordered_map>

#include "graze/core/numeric/float_environment.h"
#include "graze/io/append_number.h"
#include "graze/io/atomic_file.h"
#include "graze/io/line_reader.h"
#include "graze/io/mapped_file.h"

namespace graze::io {
namespace {

using Count = std::uint64_t;

constexpr Count linear_tetrahedron = 4;  // Gmsh's element type

class MshReader {
 public:
  MshReader(std::string_view text, std::string_view name) : lines_(text, name) {}

  TetMesh read() {
    if (!lines_.next_line() || lines_.word() != "$MeshFormat") lines_.fail("is not a Gmsh file");
    read_format();
    bool has_elements = false;
    while (lines_.next_line()) {
      const std::string_view section = lines_.word();
      if (section == "$Nodes") {
        if (!tags_.empty()) lines_.fail("a second section of nodes");
        read_nodes();
      } else if (section == "$Elements") {
        if (has_elements) lines_.fail("a second section of elements");
        has_elements = true;
        read_elements();
      } else if (section.starts_with('$') && !section.starts_with("$End")) {
        skip(section.substr(1));
      } else {
        lines_.fail(excerpt(section) + " is no section");
      }
    }
    if (mesh_.tets.empty()) lines_.fail("holds no tetrahedron");
    return compact();
  }

 private:
  void next_line() {
    if (!lines_.next_line()) lines_.fail("the file ends within a section");
  }
  void end_line() {
    if (!lines_.line_is_done()) lines_.fail("the line goes on with " + excerpt(lines_.word()));
  }
  void end_section(std::string_view name) {
    next_line();
    if (lines_.word() != name) lines_.fail(std::string(name) + " is missing");
    end_line();
  }
  void skip(std::string_view name) {
    std::string end("$End");
    end += name;
    do next_line();
    while (lines_.word() != end);
  }

  void read_format() {
    next_line();
    const std::string_view version = lines_.word();
    if (version != "4" && version != "4.0" && version != "4.1")
      lines_.fail("version " + excerpt(version) + "; 4.0 and 4.1 are read (gmsh -format msh41)");
    is_4_0_ = version != "4.1";
    if (lines_.number<Count>("the type of the file") != 0)
      lines_.fail("is binary; only ASCII is read (gmsh -bin 0)");
    lines_.number<Count>("the size of a number");
    end_line();
    end_section("$EndMeshFormat");
  }

  struct Head {
    Count blocks, total;
  };
  // Reads the head of a section of nodes or elements, each of which takes at least `size` bytes.
  Head read_head(std::size_t size, const char* what) {
    next_line();
    const Head head{lines_.number<Count>("the number of blocks"),
                    lines_.number<Count>("the number of " + std::string(what))};
    if (!is_4_0_) {
      lines_.number<Count>("the least tag");
      lines_.number<Count>("the largest tag");
    }
    end_line();
    // The last line may lack its line end.
    if (head.total > Mesh::max_vertices || head.total > (lines_.rest().size() + 1) / size)
      lines_.fail("claims " + std::to_string(head.total) + " " + what +
                  ", more than the file can hold");
    return head;
  }

  struct Block {
    Count dimension, type, count;  // type: element type, or 1 if nodes have parameters
  };
  // Reads the head of a block. `left`: the number of nodes or elements that the section still has.
  Block read_block(Count left) {
    next_line();
    const Count first = tag("the dimension or tag of an entity"),
                second = tag("the tag or dimension of an entity");
    const Block block{is_4_0_ ? second : first, lines_.number<Count>("the type of a block"),
                      lines_.number<Count>("the size of a block")};
    end_line();
    if (block.dimension > 3)
      lines_.fail("an entity of " + std::to_string(block.dimension) + " dimensions");
    if (block.count > left)
      lines_.fail("a block of " + std::to_string(block.count) + " where " + std::to_string(left) +
                  " are left of what the section claims");
    return block;
  }
  // Returns the next tag. Some programs write negative entity tags.
  Count tag(const char* what) { return static_cast<Count>(lines_.number<std::int64_t>(what)); }

  void add_node(Count node) {
    if (!tags_.try_emplace(node, static_cast<std::uint32_t>(tags_.size())).second)
      lines_.fail("node " + std::to_string(node) + " is defined twice");
  }
  void read_coordinates(const Block& block) {
    Vec3 point;
    for (double& x : point) {
      x = lines_.number<double>("a coordinate");
      if (!std::isfinite(x)) lines_.fail("a coordinate is not finite");
    }
    for (Count k = 0; k < (block.type != 0 ? block.dimension : 0); ++k)
      lines_.number<double>("a parameter");
    end_line();
    mesh_.positions.push_back(point);
  }

  void read_nodes() {
    end_line();
    const auto [blocks, total] = read_head(8, "nodes");  // "1 0 0 0\n"
    for (Count b = 0; b < blocks; ++b) {
      const Block block = read_block(total - mesh_.positions.size());
      for (Count i = 0; i < block.count; ++i) {
        next_line();
        add_node(lines_.number<Count>("the tag of a node"));
        if (is_4_0_)
          read_coordinates(block);
        else
          end_line();
      }
      for (Count i = 0; i < (is_4_0_ ? 0 : block.count); ++i) {
        next_line();
        read_coordinates(block);
      }
    }
    if (mesh_.positions.size() != total)
      lines_.fail(std::to_string(mesh_.positions.size()) + " nodes where the section claims " +
                  std::to_string(total));
    end_section("$EndNodes");
  }

  double volume_of(const Tetrahedron& tet) const {
    const Vec3& x = mesh_.positions[tet[0]];
    const auto side = [&](std::size_t k) { return Vec3(mesh_.positions[tet[k]] - x); };
    return side(1).cross(side(2)).dot(side(3)) / 6;
  }

  void read_tetrahedron() {
    Tetrahedron tet;
    for (std::uint32_t& corner : tet) {
      const auto node = lines_.number<Count>("a node");
      const auto found = tags_.find(node);
      if (found == tags_.end()) lines_.fail("node " + std::to_string(node) + " is not defined");
      corner = found->second;
    }
    end_line();
    if (volume_of(tet) < 0) std::swap(tet[2], tet[3]);
    mesh_.tets.push_back(tet);
  }

  void read_elements() {
    end_line();
    const auto [blocks, total] = read_head(4, "elements");  // "1 1\n", a point
    Count seen = 0;
    for (Count b = 0; b < blocks; ++b) {
      const Block block = read_block(total - seen);
      if (block.count > 0 && block.dimension == 3 && block.type != linear_tetrahedron)
        lines_.fail("volumes of type " + std::to_string(block.type) +
                    ", where tetrahedra of four nodes (type 4) are read");
      seen += block.count;
      for (Count i = 0; i < block.count; ++i) {
        next_line();
        lines_.number<Count>("the tag of an element");
        if (block.type == linear_tetrahedron) read_tetrahedron();
      }
    }
    if (seen != total)
      lines_.fail(std::to_string(seen) + " elements where the section claims " +
                  std::to_string(total));
    end_section("$EndElements");
  }

  // Returns the mesh without the vertices that no tetrahedron uses.
  TetMesh compact() {
    std::vector<bool> used(mesh_.positions.size());
    for (const Tetrahedron& tet : mesh_.tets)
      for (const std::uint32_t corner : tet) used[corner] = true;
    std::vector<std::uint32_t> place(used.size());
    std::uint32_t count = 0;
    for (std::size_t v = 0; v < used.size(); ++v) {
      if (!used[v]) continue;
      mesh_.positions[count] = mesh_.positions[v];
      place[v] = count++;
    }
    mesh_.positions.resize(count);
    for (Tetrahedron& tet : mesh_.tets)
      for (std::uint32_t& corner : tet) corner = place[corner];
    return std::move(mesh_);
  }

  LineReader lines_;
  bool is_4_0_ = false;
  std::unordered_map<Count, std::uint32_t> tags_;
  TetMesh mesh_;
};

void append_before(std::string& text, auto number, char after) {
  append_number(text, number);
  text += after;
}

}  // namespace

TetMesh parse_msh(std::string_view bytes, std::string_view name) {
  return MshReader(bytes, name).read();
}

std::string format_msh(const TetMesh& mesh) {
  const std::size_t nodes = mesh.positions.size(), tets = mesh.tets.size();
  std::string text = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n";
  // A section head has blocks, count, least and largest tag; a block has entity, type, count.
  const auto head = [&](std::size_t count, const char* block) {
    text += "1 ";
    append_before(text, count, ' ');
    text += "1 ";
    append_before(text, count, '\n');
    text += block;
    append_before(text, count, '\n');
  };
  head(nodes, "3 1 0 ");
  for (std::size_t i = 1; i <= nodes; ++i) append_before(text, i, '\n');
  for (const Vec3& x : mesh.positions)
    for (int k = 0; k < 3; ++k) append_before(text, x[k], k < 2 ? ' ' : '\n');
  text += "$EndNodes\n$Elements\n";
  head(tets, "3 1 4 ");
  for (std::size_t i = 0; i < tets; ++i) {
    append_before(text, i + 1, ' ');
    for (std::size_t k = 0; k < 4; ++k)
      append_before(text, std::uint64_t{mesh.tets[i][k]} + 1, k < 3 ? ' ' : '\n');
  }
  return text += "$EndElements\n";
}

TetMesh read_tets(const std::filesystem::path& path) {
  const FloatEnvironment environment;
  return parse_msh(MappedFile(path).bytes(), path.string());
}

void write_tets(const std::filesystem::path& path, const TetMesh& mesh) {
  for (std::size_t v = 0; v < mesh.positions.size(); ++v)
    if (!mesh.positions[v].allFinite())
      throw FileError(path.string(),
                      "vertex " + std::to_string(v) + " (counted from 0) has NaN or infinity");
  write_file(path, format_msh(mesh));
}

}  // namespace graze::io
