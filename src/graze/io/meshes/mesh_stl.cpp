#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cstring>
#include <numeric>

#include "graze/io/line_reader.h"
#include "graze/io/meshes/mesh_formats.h"

namespace graze::io {
namespace {

static_assert(std::endian::native == std::endian::little, "binary STL is little-endian");

constexpr std::size_t head_size = 84, facet_size = 50;

// Makes a mesh of the corners, three per face. Corners with the same bits, -0 and 0 being equal,
// become one vertex with the bits of the first of them. Vertices are numbered by first use.
MeshParts weld(const std::vector<Vec3>& corners, std::string_view name) {
  if (corners.size() > Mesh::max_vertices) throw FileError(name, "too many facets");
  using Bits = std::array<std::uint64_t, 3>;
  static_assert(sizeof(Bits) == sizeof(Vec3));
  const auto bits = [&](std::uint32_t corner) {
    const Vec3 point = corners[corner] + Vec3::Zero();  // -0 + 0 = 0
    Bits result;
    std::memcpy(&result, point.data(), sizeof result);
    return result;
  };
  std::vector<std::uint32_t> order(corners.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const Bits x = bits(a), y = bits(b);
    return x != y ? x < y : a < b;
  });
  std::vector<std::uint32_t> first(corners.size());  // the first corner with the same bits
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool same = i > 0 && bits(order[i]) == bits(order[i - 1]);
    first[order[i]] = same ? first[order[i - 1]] : order[i];
  }

  std::vector<Vec3> positions;
  std::vector<Face> faces(corners.size() / 3);
  for (std::uint32_t corner = 0; corner < corners.size(); ++corner) {
    std::uint32_t& vertex = faces[corner / 3][corner % 3];
    if (first[corner] == corner) {
      vertex = static_cast<std::uint32_t>(positions.size());
      positions.push_back(corners[corner]);
    } else {
      vertex = faces[first[corner] / 3][first[corner] % 3];
    }
  }
  return {std::move(positions), std::move(faces), {}};
}

std::vector<Vec3> read_binary(std::string_view bytes) {
  std::vector<Vec3> corners;
  corners.reserve(3 * (bytes.size() / facet_size));
  for (std::size_t facet = head_size; facet < bytes.size(); facet += facet_size) {
    std::array<float, 12> numbers;  // normal, corners
    std::memcpy(numbers.data(), bytes.data() + facet, sizeof numbers);
    for (std::size_t k = 3; k < 12; k += 3)
      corners.push_back({double{numbers[k]}, double{numbers[k + 1]}, double{numbers[k + 2]}});
  }
  return corners;
}

class AsciiReader {
 public:
  AsciiReader(std::string_view text, std::string_view name) : lines_(text, name) {}

  // Returns whether the text begins like an ASCII file.
  bool is_solid() const {
    LineReader ahead = lines_;
    return ahead.next_line() && lower(ahead.word()) == "solid";
  }

  std::vector<Vec3> read() {
    std::vector<Vec3> corners;
    while (lines_.next_line()) {
      expect(lower(lines_.word()), "solid");
      while (next_line() == "facet") {
        expect(lower(lines_.word()), "normal");
        expect(next_line(), "outer");
        expect(lower(lines_.word()), "loop");
        for (int corner = 0; corner < 3; ++corner) {
          expect(next_line(), "vertex");
          Vec3 point;
          for (double& x : point) x = lines_.number<double>("a coordinate");
          if (!lines_.line_is_done()) lines_.fail("a vertex has more than three coordinates");
          corners.push_back(point);
        }
        expect(next_line(), "endloop");
        expect(next_line(), "endfacet");
      }
      expect(word_, "endsolid");
    }
    return corners;
  }

 private:
  static std::string lower(std::string_view word) {
    std::string result(word.substr(0, 16));  // longer than any keyword
    for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return result;
  }
  const std::string& next_line() {
    if (!lines_.next_line()) lines_.fail("the file ends within a solid");
    return word_ = lower(lines_.word());
  }
  void expect(const std::string& word, std::string_view expected) {
    if (word != expected)
      lines_.fail(excerpt(word) + " where '" + std::string(expected) + "' should be");
  }

  LineReader lines_;
  std::string word_;  // the first word of the line
};

}  // namespace

// A binary file may begin with "solid" too: a file of the size that its head claims is binary.
MeshParts parse_stl(std::string_view bytes, std::string_view name) {
  std::uint32_t facets = 0;
  if (bytes.size() >= head_size) std::memcpy(&facets, bytes.data() + 80, sizeof facets);
  const std::uint64_t claimed = head_size + std::uint64_t{facets} * facet_size;
  if (bytes.size() == claimed) return weld(read_binary(bytes), name);
  AsciiReader text(bytes, name);
  if (text.is_solid()) return weld(text.read(), name);
  if (bytes.size() < head_size) throw FileError(name, "is not an STL file");
  throw FileError(name, "offset 80: " + std::to_string(facets) + " facets take " +
                            std::to_string(claimed) + " bytes, the file has " +
                            std::to_string(bytes.size()));
}

}  // namespace graze::io
