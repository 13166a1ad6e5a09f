#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <type_traits>

#include "graze/io/line_reader.h"
#include "graze/io/meshes/mesh_formats.h"

namespace graze::io {
namespace {

static_assert(std::endian::native == std::endian::little,
              "binary files are read and written in little-endian order");

enum class Type { int8, uint8, int16, uint16, int32, uint32, float32, float64 };

struct TypeName {
  std::string_view name;
  Type type;
};
constexpr auto type_names = std::to_array<TypeName>({
    {"char", Type::int8},
    {"int8", Type::int8},
    {"uchar", Type::uint8},
    {"uint8", Type::uint8},
    {"short", Type::int16},
    {"int16", Type::int16},
    {"ushort", Type::uint16},
    {"uint16", Type::uint16},
    {"int", Type::int32},
    {"int32", Type::int32},
    {"uint", Type::uint32},
    {"uint32", Type::uint32},
    {"float", Type::float32},
    {"float32", Type::float32},
    {"double", Type::float64},
    {"float64", Type::float64},
});

// Calls the function with a zero of the C++ type.
template <class Function>
auto with_type(Type type, Function&& function) {
  switch (type) {
    case Type::int8:
      return function(std::int8_t{});
    case Type::uint8:
      return function(std::uint8_t{});
    case Type::int16:
      return function(std::int16_t{});
    case Type::uint16:
      return function(std::uint16_t{});
    case Type::int32:
      return function(std::int32_t{});
    case Type::uint32:
      return function(std::uint32_t{});
    case Type::float32:
      return function(float{});
    default:
      return function(double{});
  }
}
std::size_t size_of(Type type) {
  return with_type(type, [](auto value) { return sizeof(value); });
}
bool is_integer(Type type) {
  return type < Type::float32;
}

struct Property {
  std::string_view name;
  Type type;
  std::optional<Type> list;  // the type of the length of a list
};

struct Element {
  std::string_view name;
  std::uint64_t count;
  std::vector<Property> properties;
};

enum class Format { ascii, little_endian, big_endian };

struct Header {
  Format format;
  std::vector<Element> elements;
  std::uint64_t vertices = 0;
};

Type read_type(LineReader& lines) {
  const std::string_view word = lines.word();
  for (const auto& [name, type] : type_names)
    if (name == word) return type;
  lines.fail("a property has the unknown type " + excerpt(word));
}

Property read_property(LineReader& lines) {
  Property property{};
  LineReader ahead = lines;
  if (ahead.word() == "list") {
    lines = ahead;
    property.list = read_type(lines);
    if (!is_integer(*property.list)) lines.fail("the length of a list must be an integer");
  }
  property.type = read_type(lines);
  property.name = lines.word();
  if (property.name.empty()) lines.fail("a property has no name");
  return property;
}

Format read_format(LineReader& lines) {
  const std::string_view word = lines.word(), version = lines.word();
  if (version != "1.0") lines.fail("PLY version " + excerpt(version) + "; 1.0 is read");
  if (word == "ascii") return Format::ascii;
  if (word == "binary_little_endian") return Format::little_endian;
  if (word == "binary_big_endian") return Format::big_endian;
  lines.fail("the format is " + excerpt(word) +
             ", not ascii, binary_little_endian or binary_big_endian");
}

// Reads the header and leaves `lines` at its end.
Header read_header(LineReader& lines) {
  Header header{};
  std::optional<Format> format;
  if (!lines.next_line() || lines.word() != "ply") lines.fail("is not a PLY file");
  while (true) {
    if (!lines.next_line()) lines.fail("the header has no end");
    const std::string_view word = lines.word();
    if (word == "end_header") break;
    if (word == "comment" || word == "obj_info") continue;
    if (word == "format" && !format) {
      format = read_format(lines);
    } else if (word == "element") {
      const std::string_view name = lines.word();
      const auto count = lines.number<std::uint64_t>("the number of elements");
      const auto same = [&](const Element& element) { return element.name == name; };
      if (std::any_of(header.elements.begin(), header.elements.end(), same))
        lines.fail("a second element " + excerpt(name));
      header.elements.push_back({name, count, {}});
    } else if (word == "property" && !header.elements.empty()) {
      auto& properties = header.elements.back().properties;
      properties.push_back(read_property(lines));
      for (std::size_t i = 0; i + 1 < properties.size(); ++i)
        if (properties[i].name == properties.back().name)
          lines.fail("a second property " + excerpt(properties.back().name));
    } else {
      lines.fail("the header has " + excerpt(word));
    }
    if (!lines.line_is_done()) lines.fail("the line goes on after " + excerpt(word));
  }
  if (!format) lines.fail("the header names no format");
  header.format = *format;
  return header;
}

// A source reads the numbers of the body. Both sources have the same members.
class AsciiSource {
 public:
  explicit AsciiSource(const LineReader& lines) : lines_(lines) {}

  // Every value takes a digit and, except the last, a separator.
  static constexpr std::size_t min_size(Type) { return 2; }
  std::size_t remaining() const { return lines_.rest().size() + 1; }

  void begin_row() {
    if (!lines_.next_line()) fail("the file ends before its last element");
  }
  void end_row() {
    if (!lines_.line_is_done()) fail("the line has more values than the element");
  }
  double value(Type type) {
    return with_type(type, [&]<class T>(T) {
      if constexpr (sizeof(T) == 1)  // from_chars would read a character
        return narrow<T>(lines_.number<int>("a value"));
      else
        return static_cast<double>(lines_.number<T>("a value"));
    });
  }
  void finish() {
    if (lines_.next_line()) fail("the file goes on after its last element");
  }
  [[noreturn]] void fail(const std::string& reason) const { lines_.fail(reason); }

 private:
  template <class T>
  double narrow(int value) const {
    if (value < std::numeric_limits<T>::min() || value > std::numeric_limits<T>::max())
      fail("a value '" + std::to_string(value) + "' is out of range");
    return value;
  }

  LineReader lines_;
};

class BinarySource {
 public:
  BinarySource(std::string_view bytes, std::size_t offset, bool big_endian, std::string_view name)
      : bytes_(bytes), offset_(offset), last_(offset), big_endian_(big_endian), name_(name) {}

  static std::size_t min_size(Type type) { return size_of(type); }
  std::size_t remaining() const { return bytes_.size() - offset_; }

  void begin_row() {}
  void end_row() {}
  double value(Type type) {
    return with_type(type, [&]<class T>(T value) {
      last_ = offset_;
      if (remaining() < sizeof(T)) fail("the file ends before its last element");
      value = ahead<T>(0);
      offset_ += sizeof(T);
      return static_cast<double>(value);
    });
  }

  // Returns the value that begins `offset` bytes ahead. Precondition: the file has its bytes.
  template <class T>
  T ahead(std::size_t offset) const {
    std::array<char, sizeof(T)> raw;
    std::memcpy(raw.data(), bytes_.data() + offset_ + offset, sizeof(T));
    if (big_endian_) std::reverse(raw.begin(), raw.end());
    return std::bit_cast<T>(raw);
  }
  void skip(std::size_t bytes) { offset_ += bytes; }
  void seek(std::size_t offset) { offset_ = last_ = offset; }
  std::string_view name() const { return name_; }

  void finish() {
    last_ = offset_;
    if (remaining() > 0) fail("the file goes on after its last element");
  }
  [[noreturn]] void fail(const std::string& reason) const {
    throw FileError(name_, "offset " + std::to_string(last_) + ": " + reason);
  }

 private:
  std::string_view bytes_;
  std::size_t offset_, last_;  // of the next value and of the last value read
  bool big_endian_;
  std::string_view name_;
};

template <class Source>
class BodyReader {
 public:
  BodyReader(const Header& header, Source source) : header_(header), source_(source) {}

  MeshParts read() {
    for (const Element& element : header_.elements) {
      check_size(element);
      if (element.name == "vertex")
        read_vertices(element);
      else if (element.name == "face")
        read_faces(element);
      else if (element.name == "tristrips")
        read_strips(element);
      else if (element.name == "edge")
        read_rods(element);
      else
        for_each_row(
            element, [](std::size_t, double) {}, [](std::size_t) {});
    }
    source_.finish();
    return {std::move(positions_), std::move(faces_), std::move(rods_)};
  }

  // Reads one part of a binary file whose body begins at `offset` and ends at `end`. If every face
  // has at least three corners and the body has the size of triangles, all faces are triangles.
  MeshParts read_part(std::size_t part, std::size_t parts, std::size_t offset, std::size_t end) {
    std::size_t begin = offset, size = 0;
    for (const Element& element : header_.elements) {
      const std::size_t row = fixed_row(element);
      if (row > 0 && element.count > (std::numeric_limits<std::size_t>::max() - size) / row)
        source_.fail("the header claims " + std::to_string(element.count) + " of element " +
                     excerpt(element.name) + ", more than the file can hold");
      size += row * element.count;
    }
    if (size != end - offset)
      source_.fail("the file has " + std::to_string(end - offset) +
                   " bytes of vertices and faces, not the " + std::to_string(size) +
                   " of a mesh of triangles: it was cut off, or a face is not a triangle (" +
                   conversion_of(source_.name()) + " writes triangles)");
    for (Element element : header_.elements) {
      const std::size_t row = fixed_row(element), first = element.count * part / parts;
      source_.seek(begin + first * row);
      begin += element.count * row;
      element.count = element.count * (part + 1) / parts - first;
      if (element.name == "vertex") read_vertices(element);
      if (element.name == "face") read_faces(element);
      if (element.name == "edge") read_rods(element);
    }
    return {std::move(positions_), std::move(faces_), std::move(rods_)};
  }

 private:
  void check_size(const Element& element) {
    std::size_t row = 0;
    for (const Property& property : element.properties)
      row += Source::min_size(property.list.value_or(property.type));
    if (row > 0 && element.count > source_.remaining() / row)
      source_.fail("the header claims " + std::to_string(element.count) + " of element " +
                   excerpt(element.name) + ", more than the file can hold");
  }

  // Returns the number of bytes of a row. A face counts as a triangle.
  std::size_t fixed_row(const Element& element) const {
    std::size_t row = 0;
    for (std::size_t p = 0; p < element.properties.size(); ++p) {
      const auto& [name, type, list] = element.properties[p];
      if (list && (element.name != "face" || p != find_corners(element)))
        source_.fail("the list " + excerpt(name) + " of element " + excerpt(element.name) +
                     " has no fixed size, so the file cannot be read in parts; convert it: " +
                     conversion_of(source_.name()));
      row += list ? size_of(*list) + 3 * size_of(type) : size_of(type);
    }
    return row;
  }

  // Calls value(p, x) for every number x of the rows from `first` on, p being the index of its
  // property, and end(p) after each property.
  template <class Value, class End>
  void for_each_row(const Element& element, Value&& value, End&& end, std::uint64_t first = 0) {
    const std::size_t properties = element.properties.size();
    if (properties == 0) return;  // the rows have no bytes, however many the header claims
    for (std::uint64_t row = first; row < element.count; ++row) {
      source_.begin_row();
      for (std::size_t p = 0; p < properties; ++p) {
        const auto& [name, type, list] = element.properties[p];
        const double length = list ? source_.value(*list) : 1;
        if (length < 0) source_.fail("a list has a negative length");
        for (double k = 0; k < length; ++k) value(p, source_.value(type));
        end(p);
      }
      source_.end_row();
    }
  }

  // Returns the property of that name, if there is one.
  std::optional<std::size_t> find(const Element& element, std::string_view name) const {
    for (std::size_t p = 0; p < element.properties.size(); ++p)
      if (element.properties[p].name == name) return p;
    return std::nullopt;
  }
  std::size_t find_number(const Element& element, std::string_view name) const {
    const auto p = find(element, name);
    if (!p || element.properties[*p].list)
      source_.fail("element " + excerpt(element.name) + " has no number " + excerpt(name));
    return *p;
  }
  std::uint32_t to_vertex(double index) const {
    if (index < 0 || index >= static_cast<double>(header_.vertices))
      source_.fail(no_such_vertex(static_cast<std::int64_t>(index), header_.vertices, 0));
    return static_cast<std::uint32_t>(index);
  }

  void read_vertices(const Element& element) {
    const std::array<std::size_t, 3> axes = {find_number(element, "x"), find_number(element, "y"),
                                             find_number(element, "z")};
    positions_.reserve(element.count);
    if (read_equal_rows(element, axes)) return;
    Vec3 point;
    for_each_row(
        element,
        [&](std::size_t p, double x) {
          for (int k = 0; k < 3; ++k)
            if (p == axes[std::size_t(k)]) point[k] = x;
        },
        [&](std::size_t p) {
          if (p + 1 == element.properties.size()) positions_.push_back(point);
        });
  }

  // Reads vertices without lists whose coordinates have one type, from a binary file, faster than
  // value by value. Returns false for other vertices. Precondition: the file has all the rows.
  bool read_equal_rows(const Element& element, const std::array<std::size_t, 3>& axes) {
    if constexpr (std::is_same_v<Source, BinarySource>) {
      std::vector<std::size_t> offset = {0};  // of each property and of the next row
      for (const auto& [name, type, list] : element.properties) {
        if (list) return false;
        offset.push_back(offset.back() + size_of(type));
      }
      const Type type = element.properties[axes[0]].type;
      for (const std::size_t p : axes)
        if (element.properties[p].type != type) return false;
      with_type(type, [&]<class T>(T) {
        for (std::uint64_t row = 0; row < element.count; ++row) {
          Vec3& point = positions_.emplace_back();
          for (int k = 0; k < 3; ++k)
            point[k] = static_cast<double>(source_.template ahead<T>(offset[axes[std::size_t(k)]]));
          source_.skip(offset.back());
        }
      });
      return true;
    }
    return false;
  }

  // Returns the property with the list of vertices.
  std::size_t find_corners(const Element& element) const {
    auto corners = find(element, "vertex_indices");
    if (!corners) corners = find(element, "vertex_index");
    if (!corners || !element.properties[*corners].list ||
        !is_integer(element.properties[*corners].type))
      source_.fail("element " + excerpt(element.name) +
                   " has no list of integers 'vertex_indices'");
    return *corners;
  }

  void read_faces(const Element& element) {
    const std::size_t corners = find_corners(element);
    faces_.reserve(element.count);
    const std::uint64_t triangles = read_triangles(element);
    std::vector<std::uint32_t> polygon;
    for_each_row(
        element,
        [&](std::size_t p, double index) {
          if (p == corners) polygon.push_back(to_vertex(index));
        },
        [&](std::size_t p) {
          if (p != corners) return;
          if (polygon.size() < 3)
            source_.fail("a face has " + std::to_string(polygon.size()) + " corners");
          add_fan(polygon, faces_);
          polygon.clear();
        },
        triangles);
  }

  // Reads the faces of a binary file up to the first one that is not a triangle of vertices, if
  // they have no other property and the usual types, faster than value by value. Returns their
  // number.
  std::uint64_t read_triangles(const Element& element) {
    std::uint64_t row = 0;
    if constexpr (std::is_same_v<Source, BinarySource>) {
      constexpr std::size_t size = 1 + 3 * sizeof(std::uint32_t);
      const Property& corners = element.properties[0];
      if (element.properties.size() > 1 || size_of(*corners.list) > 1 || size_of(corners.type) != 4)
        return 0;
      for (; row < element.count && source_.remaining() >= size; ++row, source_.skip(size)) {
        Face face;  // a negative index becomes larger than any vertex
        for (std::size_t k = 0; k < 3; ++k)
          face[k] = source_.template ahead<std::uint32_t>(1 + k * sizeof(std::uint32_t));
        if (source_.template ahead<std::uint8_t>(0) != 3 ||
            std::max({face[0], face[1], face[2]}) >= header_.vertices)
          break;
        faces_.push_back(face);
      }
    }
    return row;
  }

  // Reads triangle strips. Each index of a strip makes a triangle with the two before it; every
  // second triangle has the opposite order. -1 begins a new strip. Triangles that name a vertex
  // twice only connect parts of a strip and are left out.
  void read_strips(const Element& element) {
    const std::size_t corners = find_corners(element);
    std::array<std::uint32_t, 2> before{};
    std::size_t length = 0;
    for_each_row(
        element,
        [&](std::size_t p, double index) {
          if (p != corners) return;
          if (index == -1) {
            length = 0;
            return;
          }
          const std::uint32_t vertex = to_vertex(index);
          const auto [a, b] = before;
          if (length >= 2 && a != b && b != vertex && a != vertex)
            faces_.push_back(length % 2 == 0 ? Face{a, b, vertex} : Face{b, a, vertex});
          before = {b, vertex};
          ++length;
        },
        [&](std::size_t) { length = 0; });
  }

  void read_rods(const Element& element) {
    const std::array<std::size_t, 2> ends = {find_number(element, "vertex1"),
                                             find_number(element, "vertex2")};
    for (const std::size_t p : ends)
      if (!is_integer(element.properties[p].type)) source_.fail("an edge must name integers");
    rods_.reserve(element.count);
    Edge rod{};
    for_each_row(
        element,
        [&](std::size_t p, double index) {
          for (std::size_t k = 0; k < 2; ++k)
            if (p == ends[k]) rod[k] = to_vertex(index);
        },
        [&](std::size_t p) {
          if (p + 1 == element.properties.size()) rods_.push_back(rod);
        });
  }

  const Header& header_;
  Source source_;
  std::vector<Vec3> positions_;
  std::vector<Face> faces_;
  std::vector<Edge> rods_;
};

template <class Value>
void append_bytes(std::string& bytes, const Value& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace

namespace {

// Reads the header of a file with vertices and leaves `lines` at its end.
Header read_mesh_header(LineReader& lines) {
  Header header = read_header(lines);
  const auto vertex = std::find_if(header.elements.begin(), header.elements.end(),
                                   [](const Element& element) { return element.name == "vertex"; });
  if (vertex == header.elements.end()) lines.fail("the header has no element 'vertex'");
  if (vertex->count > Mesh::max_vertices)
    lines.fail(std::to_string(vertex->count) + " vertices; at most " +
               std::to_string(Mesh::max_vertices) + " are read");
  header.vertices = vertex->count;
  return header;
}

}  // namespace

MeshParts parse_ply(std::string_view bytes, std::string_view name) {
  LineReader lines(bytes, name);
  const Header header = read_mesh_header(lines);
  if (header.format == Format::ascii) return BodyReader(header, AsciiSource(lines)).read();
  const BinarySource source(bytes, bytes.size() - lines.rest().size(),
                            header.format == Format::big_endian, name);
  return BodyReader(header, source).read();
}

PlyPart parse_ply_part(std::string_view bytes, std::string_view name, std::size_t part,
                       std::size_t parts) {
  LineReader lines(bytes, name);
  const Header header = read_mesh_header(lines);
  if (header.format == Format::ascii)
    throw FileError(name, "is an ASCII file; only binary files can be read in parts; convert it: " +
                              conversion_of(name));
  const std::size_t offset = bytes.size() - lines.rest().size();
  const BinarySource source(bytes, offset, header.format == Format::big_endian, name);
  PlyPart result{BodyReader(header, source).read_part(part, parts, offset, bytes.size())};
  result.vertices = header.vertices;
  for (const Element& element : header.elements)
    if (element.name == "face") result.faces_of_all = element.count;
  return result;
}

std::string conversion_of(const std::filesystem::path& file) {
  return "graze convert " + file.string() + " " + file.stem().string() + ".b.ply";
}

std::string format_ply(const Mesh& mesh, std::span<const Vec3> positions) {
  assert(positions.size() == mesh.vertex_count);
  const std::vector<Edge> rods = rods_of(mesh);
  std::string bytes =
      "ply\nformat binary_little_endian 1.0\nelement vertex " + std::to_string(positions.size()) +
      "\nproperty double x\nproperty double y\nproperty double z\nelement face " +
      std::to_string(mesh.faces.size()) + "\nproperty list uchar uint vertex_indices\n";
  if (!rods.empty())
    bytes += "element edge " + std::to_string(rods.size()) +
             "\nproperty uint vertex1\nproperty uint vertex2\n";
  bytes += "end_header\n";
  bytes.reserve(bytes.size() + 24 * positions.size() + 13 * mesh.faces.size() + 8 * rods.size());
  for (const Vec3& point : positions)
    for (int k = 0; k < 3; ++k) append_bytes(bytes, point[k]);
  for (const Face& face : mesh.faces) {
    bytes += '\3';
    append_bytes(bytes, face);
  }
  for (const Edge& rod : rods) append_bytes(bytes, rod);
  return bytes;
}

}  // namespace graze::io
