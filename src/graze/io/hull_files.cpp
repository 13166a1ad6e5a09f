#include "graze/io/hull_files.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "graze/io/atomic_file.h"
#include "graze/io/mapped_file.h"

namespace graze::io {
namespace {

static_assert(std::endian::native == std::endian::little, "arrays are stored as they are");

constexpr std::string_view magic = "GRAZEHUL";
constexpr std::uint64_t version = 1;

struct Header {
  char magic[8];
  std::uint64_t version, vertices, faces, nodes, coordinates, pieces, degenerate, degenerate_at;
  double size, reach;
};
static_assert(sizeof(Header) == 88);

template <class T>
void append(std::string& bytes, const std::vector<T>& array) {
  bytes.append(reinterpret_cast<const char*>(array.data()), array.size() * sizeof(T));
}

class Reader {
 public:
  Reader(std::string_view bytes, std::string_view name) : bytes_(bytes), name_(name) {}

  RigidModel read() {
    const Header header = read_header();
    if (hull_checksum(bytes_.substr(0, end_)) != stored_checksum())
      fail(end_, "the checksum does not match");
    RigidModel model;
    at_ = sizeof(Header);
    take(model.vertices, header.vertices);
    const std::size_t faces_at = at_;
    take(model.faces, header.faces);
    const std::size_t pieces_at = at_;
    take(model.decomposition.piece, header.faces);
    const std::size_t nodes_at = at_;
    take(model.tree.nodes, header.nodes);
    const std::size_t coordinates_at = at_;
    take(model.tree.coordinates, header.coordinates);
    model.size = header.size;
    model.tree.reach = header.reach;
    model.decomposition.pieces = static_cast<std::uint32_t>(header.pieces);
    check_mesh(model);
    if (model.fault != ModelFault::none)
      fail(model.fault == ModelFault::index_out_of_range
               ? faces_at + model.fault_at * sizeof(Face)
               : sizeof(Header) + model.fault_at * sizeof(Vec3),
           model.problem());
    if (std::bit_cast<std::uint64_t>(model.size) != std::bit_cast<std::uint64_t>(header.size) ||
        model.degenerate != header.degenerate || model.fault_at != header.degenerate_at)
      fail(56, "the header does not fit the mesh");
    for (std::size_t f = 0; f < model.faces.size(); ++f)
      if (model.decomposition.piece[f] >= header.pieces)
        fail(pieces_at + 4 * f, "face " + std::to_string(f) + " is in a piece that is not there");
    check_tree(model, nodes_at, coordinates_at);
    return model;
  }

 private:
  [[noreturn]] void fail(std::size_t offset, const std::string& reason) const {
    throw FileError(name_, "offset " + std::to_string(offset) + ": " + reason);
  }

  Header read_header() {
    Header header;
    if (!bytes_.starts_with(magic)) fail(0, "is not a .grazehull file");
    if (bytes_.size() < sizeof(Header) + 8) fail(bytes_.size(), "ends within the header");
    std::memcpy(&header, bytes_.data(), sizeof(Header));
    if (header.version != version)
      fail(8, "version " + std::to_string(header.version) + "; version 1 is read");
    // No product can overflow: each count is at most the bytes that are there.
    const std::uint64_t size = bytes_.size();
    for (const std::uint64_t count :
         {header.vertices, header.faces, header.nodes, header.coordinates, header.pieces})
      if (count > size || count > 0xffffffff) fail(16, "claims more than the file holds");
    end_ = sizeof(Header) + header.vertices * sizeof(Vec3) +
           header.faces * (sizeof(Face) + sizeof(std::uint32_t)) + header.nodes * sizeof(HullNode) +
           header.coordinates * sizeof(double);
    if (end_ + 8 != size)
      fail(16,
           "claims " + std::to_string(end_ + 8) + " bytes, the file has " + std::to_string(size));
    if (header.faces > 0 && header.nodes != 2 * header.faces - 1)
      fail(32, "the tree does not have as many nodes as the faces need");
    return header;
  }

  std::uint64_t stored_checksum() const {
    std::uint64_t stored;
    std::memcpy(&stored, bytes_.data() + end_, 8);
    return stored;
  }

  template <class T>
  void take(std::vector<T>& array, std::uint64_t count) {
    array.resize(count);
    if (count == 0) return;
    std::memcpy(static_cast<void*>(array.data()), bytes_.data() + at_, count * sizeof(T));
    at_ += count * sizeof(T);
  }

  // Children come after their parents in pairs and each is the child of one, so that what the root
  // reaches is a tree; it has all nodes when the triangles add up.
  void check_tree(RigidModel& model, std::size_t nodes_at, std::size_t coordinates_at) const {
    HullTree& tree = model.tree;
    const auto fail_node = [&](std::size_t i, const char* reason) {
      fail(nodes_at + i * sizeof(HullNode), "node " + std::to_string(i) + " " + reason);
    };
    for (std::size_t i = 0; i < tree.coordinates.size(); ++i)
      if (!(std::abs(tree.coordinates[i]) <= tree.reach))
        fail(coordinates_at + 8 * i, "a coordinate is beyond the reach of the tree");
    if (!std::isfinite(tree.reach)) fail(80, "the reach is not finite");
    std::vector<std::uint32_t> depth(tree.nodes.size(), 0);
    std::vector<bool> in_leaf(model.faces.size());
    depth[0] = 1;
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
      const HullNode& node = tree.nodes[i];
      if (depth[i] == 0) fail_node(i, "has no parent");
      tree.depth = std::max(tree.depth, depth[i]);
      if (!node.centre.allFinite() || !(node.radius >= 0) || !(node.margin >= 0) ||
          !std::isfinite(node.radius) || !std::isfinite(node.margin))
        fail_node(i, "has bounds that are no numbers");
      if (node.vertices == 0 || node.vertices > HullTree::max_vertices ||
          node.count != (node.vertices + 3) / 4 * 4 ||
          std::uint64_t{node.first} + 3 * node.count > tree.coordinates.size())
        fail_node(i, "has no such polytope");
      if (node.is_leaf()) {
        if (node.faces != 1 || node.face >= model.faces.size() || in_leaf[node.face])
          fail_node(i, "is no leaf of one triangle");
        in_leaf[node.face] = true;
        for (std::uint32_t k = 0; k < 3; ++k)
          if (node.vertices != 3 || node.margin != 0 ||
              tree.vertex(node, k) != model.vertices[model.faces[node.face][k]])
            fail_node(i, "does not have the corners of its triangle");
      } else {
        if (node.child <= i || node.child + std::size_t{1} >= tree.nodes.size() ||
            depth[node.child] != 0 || depth[node.child + 1] != 0)
          fail_node(i, "has no such children");
        if (std::uint64_t{tree.nodes[node.child].faces} + tree.nodes[node.child + 1].faces !=
            node.faces)
          fail_node(i, "does not have the triangles of its children");
        depth[node.child] = depth[node.child + 1] = depth[i] + 1;
      }
    }
    check_balls(model, nodes_at);
  }

  // All corners below a node lie in its ball, but for the rounding of this measure.
  void check_balls(const RigidModel& model, std::size_t nodes_at) const {
    const HullTree& tree = model.tree;
    std::vector<std::uint32_t> way;
    const auto visit = [&](const auto& self, std::uint32_t at) -> void {
      const HullNode& node = tree.nodes[at];
      way.push_back(at);
      if (!node.is_leaf()) {
        self(self, node.child);
        self(self, node.child + 1);
      } else {
        for (const std::uint32_t above : way)
          for (const std::uint32_t v : model.faces[node.face]) {
            const HullNode& ball = tree.nodes[above];
            const double far = (model.vertices[v] - ball.centre).stableNorm();
            if (!(far <= ball.radius * (1 + 1e-12) + 1e-300))
              fail(nodes_at + above * sizeof(HullNode), "node " + std::to_string(above) +
                                                            " does not contain face " +
                                                            std::to_string(node.face));
          }
      }
      way.pop_back();
    };
    if (tree.depth > 1000) fail(nodes_at, "the tree is deeper than 1000 nodes");
    visit(visit, 0);
  }

  std::string_view bytes_, name_;
  std::size_t at_ = 0, end_ = 0;
};

}  // namespace

// FNV-1a over words of 8 bytes (the arrays end on such) and over bytes at the end.
std::uint64_t hull_checksum(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto mix = [&](std::uint64_t x) {
    hash = (hash ^ x) * 0x100000001b3;
    hash ^= hash >> 29;
  };
  std::size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data() + i, 8);
    mix(word);
  }
  for (; i < bytes.size(); ++i) mix(static_cast<unsigned char>(bytes[i]));
  return hash;
}

std::string format_hull(const RigidModel& model) {
  Header header{{},
                version,
                model.vertices.size(),
                model.faces.size(),
                model.tree.nodes.size(),
                model.tree.coordinates.size(),
                model.decomposition.pieces,
                model.degenerate,
                model.fault_at,
                model.size,
                model.tree.reach};
  std::memcpy(header.magic, magic.data(), magic.size());
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  append(bytes, model.vertices);
  append(bytes, model.faces);
  append(bytes, model.decomposition.piece);
  append(bytes, model.tree.nodes);
  append(bytes, model.tree.coordinates);
  const std::uint64_t sum = hull_checksum(bytes);
  bytes.append(reinterpret_cast<const char*>(&sum), sizeof sum);
  return bytes;
}

RigidModel parse_hull(std::string_view bytes, std::string_view name) {
  return Reader(bytes, name).read();
}

RigidModel read_hull(const std::filesystem::path& path) {
  const MappedFile file(path);
  return parse_hull(file.bytes(), path.string());
}

void write_hull(const std::filesystem::path& path, const RigidModel& model) {
  write_file(path, format_hull(model));
}

}  // namespace graze::io
