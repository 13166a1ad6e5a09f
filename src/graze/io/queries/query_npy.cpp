#include "graze/io/queries/query_npy.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <optional>

#include "graze/io/excerpt.h"

namespace graze::io {
namespace {

static_assert(std::endian::native == std::endian::little, "arrays are mapped in their byte order");

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t max_dimensions = 32;  // NumPy's own limit

struct Array {
  std::string type;  // as NumPy writes it: '<f8', '|u1'
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
  std::string_view data;
};

// Reads the header: a Python dictionary with the keys descr, fortran_order and shape, each once, in
// any order. Blanks and a last comma are accepted.
class HeaderReader {
 public:
  HeaderReader(std::string_view text, std::string_view name) : rest_(text), name_(name) {}

  Array read() {
    std::optional<std::string> type;
    std::optional<bool> fortran_order;
    std::optional<std::vector<std::uint64_t>> shape;
    expect('{');
    while (!accept('}')) {
      const std::string key = read_string();
      expect(':');
      if (key == "descr" && !type)
        type = read_string();
      else if (key == "fortran_order" && !fortran_order)
        fortran_order = read_bool();
      else if (key == "shape" && !shape)
        shape = read_shape();
      else
        fail();
      if (!accept(',') && next() != '}') fail();
    }
    if (next() != '\0' || !type || !fortran_order || !shape) fail();
    return {*type, *fortran_order, *shape, {}};
  }

 private:
  [[noreturn]] void fail() const {
    throw FileError(name_, "the NumPy header does not describe a plain array");
  }

  char next() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\n"), rest_.size()));
    return rest_.empty() ? '\0' : rest_.front();
  }
  bool accept(char c) {
    if (next() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail();
  }

  std::string read_string() {
    const char quote = next();
    if (quote != '\'' && quote != '"') fail();
    const std::size_t end = rest_.find(quote, 1);
    if (end == std::string_view::npos) fail();
    std::string text(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return text;
  }

  bool read_bool() {
    next();
    for (const std::string_view word : {"True", "False"})
      if (rest_.starts_with(word)) {
        rest_.remove_prefix(word.size());
        return word == "True";
      }
    fail();
  }

  std::vector<std::uint64_t> read_shape() {
    std::vector<std::uint64_t> shape;
    expect('(');
    while (!accept(')')) {
      next();
      std::uint64_t extent = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), extent);
      if (error != std::errc() || shape.size() == max_dimensions) fail();
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      shape.push_back(extent);
      if (!accept(',') && next() != ')') fail();
    }
    return shape;
  }

  std::string_view rest_, name_;
};

Array parse_array(std::string_view bytes, std::string_view name) {
  const auto byte = [&](std::size_t i) {
    return std::size_t{static_cast<unsigned char>(bytes[i])};
  };
  if (!bytes.starts_with(magic)) throw FileError(name, "is not a NumPy file");
  if (bytes.size() < 12) throw FileError(name, "ends within the NumPy header");
  const std::size_t version = byte(6);
  if (version < 1 || version > 3 || byte(7) != 0)
    throw FileError(name, "NumPy format " + std::to_string(version) + "." +
                              std::to_string(byte(7)) + "; 1.0, 2.0 and 3.0 are read");
  const std::size_t begin = version == 1 ? 10 : 12;
  const std::size_t length =
      byte(8) | byte(9) << 8 | (version == 1 ? 0 : byte(10) << 16 | byte(11) << 24);
  if (length > bytes.size() - begin) throw FileError(name, "ends within the NumPy header");
  Array array = HeaderReader(bytes.substr(begin, length), name).read();
  if (array.fortran_order) throw FileError(name, "the array is in Fortran order, not in C order");
  array.data = bytes.substr(begin + length);
  return array;
}

std::string text_of(const std::vector<std::uint64_t>& shape) {
  std::string text;
  for (const std::uint64_t extent : shape)
    text += (text.empty() ? "" : ", ") + std::to_string(extent);
  return "(" + text + (shape.size() == 1 ? ",)" : ")");
}

void check_size(const Array& array, std::size_t bytes_per_query, std::string_view name) {
  // The extent may be any number, so it is never a factor.
  const std::size_t size = array.data.size();
  if (size / bytes_per_query != array.shape[0] || size % bytes_per_query != 0)
    throw FileError(name, "the header claims " + std::to_string(array.shape[0]) + " x " +
                              std::to_string(bytes_per_query) + " bytes, the file has " +
                              std::to_string(size));
}

void check_doubles(const Array& array, std::string_view name) {
  if (array.type != "<f8")
    throw FileError(name,
                    "the type is " + excerpt(array.type) + ", not little-endian float64 '<f8'");
}

}  // namespace

std::string npy_header(std::string_view type, std::string_view shape) {
  constexpr std::size_t begin = 10, alignment = 64;
  std::string text = "{'descr': " + std::string(type) + ", 'fortran_order': False, 'shape': (" +
                     std::string(shape) + "), }";
  text.resize((begin + text.size() + alignment) / alignment * alignment - begin - 1, ' ');
  text += '\n';
  const char length[] = {static_cast<char>(text.size() & 0xff),
                         static_cast<char>(text.size() >> 8)};
  return std::string(magic) + '\1' + '\0' + std::string(length, 2) + text;
}

QuerySet parse_query_npy(std::shared_ptr<const void> owner, std::string_view bytes,
                         std::string_view name) {
  const Array array = parse_array(bytes, name);
  check_doubles(array, name);
  const std::vector<std::uint64_t>& shape = array.shape;
  if (!(shape.size() == 3 && shape[1] == 8 && shape[2] == 3) &&
      !(shape.size() == 2 && shape[1] == 24))
    throw FileError(name, "the shape is " + text_of(shape) + ", not (N, 8, 3) or (N, 24)");
  check_size(array, 24 * sizeof(double), name);
  const std::size_t count = array.data.size() / sizeof(double);
  if (reinterpret_cast<std::uintptr_t>(array.data.data()) % alignof(double) == 0)
    return QuerySet(std::move(owner), {reinterpret_cast<const double*>(array.data.data()), count},
                    {});
  std::vector<double> copy(count);
  if (count > 0) std::memcpy(copy.data(), array.data.data(), array.data.size());
  return QuerySet(std::move(copy), {});
}

std::vector<Vec3> parse_vector_npy(std::string_view bytes, std::string_view name) {
  const Array array = parse_array(bytes, name);
  check_doubles(array, name);
  if (array.shape.size() != 2 || array.shape[1] != 3)
    throw FileError(name, "the shape is " + text_of(array.shape) + ", not (N, 3)");
  check_size(array, sizeof(Vec3), name);
  std::vector<Vec3> vectors(array.data.size() / sizeof(Vec3));
  if (!vectors.empty()) std::memcpy(vectors.data()->data(), array.data.data(), array.data.size());
  return vectors;
}

std::vector<std::uint8_t> parse_truth_npy(std::string_view bytes, std::string_view name) {
  const Array array = parse_array(bytes, name);
  if (array.type != "|u1" && array.type != "|b1")
    throw FileError(name,
                    "the type is " + excerpt(array.type) + ", not bytes '|u1' or booleans '|b1'");
  if (array.shape.size() != 1)
    throw FileError(name, "the shape is " + text_of(array.shape) + ", not (N,)");
  check_size(array, 1, name);
  std::vector<std::uint8_t> truth(array.data.begin(), array.data.end());
  const auto bad = std::find_if(truth.begin(), truth.end(), [](auto value) { return value > 1; });
  if (bad != truth.end())
    throw FileError(name, "the truth of query " + std::to_string(bad - truth.begin()) + " is " +
                              std::to_string(*bad) + ", not 0 or 1");
  return truth;
}

std::string query_npy_header(std::size_t queries) {
  return npy_header("'<f8'", std::to_string(queries) + ", 8, 3");
}

std::string truth_npy_header(std::size_t queries) {
  return npy_header("'|u1'", std::to_string(queries) + ",");
}

}  // namespace graze::io
