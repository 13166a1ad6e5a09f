#include "queries/query_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "graze/generate/families.h"
#include "graze/io/mapped_file.h"

namespace graze::queries {
namespace {

namespace fs = std::filesystem;

// The name of a set and its kind, read from the name of its file: "rack-vertex-face.csv" and
// "rack_vf.csv" hold vertex-face queries with the name "rack"; "rack/edge-edge.csv" holds edge-edge
// queries with the name "rack".
struct Reading {
  std::string name;
  std::optional<Kind> kind;
};

Reading read_name(const fs::path& file) {
  Reading reading{file.stem().string(), {}};
  const auto is_separator = [](char c) { return c == '-' || c == '_' || c == '.' || c == ' '; };
  const auto take = [&](std::string_view marker, Kind kind) {
    const auto place = reading.name.rfind(marker);
    if (reading.kind || place == std::string::npos) return;
    const bool is_short = marker.size() == 2;  // must end the name and not be part of a word
    if (is_short &&
        (place + 2 != reading.name.size() ||
         (place > 0 && std::isalpha(static_cast<unsigned char>(reading.name[place - 1])))))
      return;
    reading.kind = kind;
    reading.name.erase(place, marker.size());
  };
  for (std::size_t i = 0; i < kind_count; ++i) take(name(Kind(i)), Kind(i));
  constexpr std::string_view endings[kind_count] = {"vf", "ee", "ve", "vv"};
  for (std::size_t i = 0; i < kind_count; ++i) take(endings[i], Kind(i));
  while (!reading.name.empty() && is_separator(reading.name.back())) reading.name.pop_back();
  if (reading.name.empty()) reading.name = fs::absolute(file).parent_path().filename().string();
  return reading;
}

bool is_query_file(const fs::path& file) {
  const auto extension = file.extension();
  return extension == ".csv" || (extension == ".npy" && file.stem().extension() != ".truth");
}

template <class Query>
io::QuerySet pack(const std::vector<Query>& queries) {
  const auto* first = reinterpret_cast<const double*>(queries.data());
  return {std::vector<double>(first, first + 24 * queries.size()), {}};
}

// Returns whether both points are equal; NaN equals NaN.
bool same(const Vec3& a, const Vec3& b) {
  for (int k = 0; k < 3; ++k)
    if (a[k] != b[k] && !(std::isnan(a[k]) && std::isnan(b[k]))) return false;
  return true;
}

// Returns whether the face of the query has equal corners where the kind requires them.
bool is_of_kind(const VertexFace& query, Kind kind) {
  for (const auto* corners : {&query.start, &query.end}) {
    const auto& [vertex, a, b, c] = *corners;
    if (!same(b, c) || (kind == Kind::vertex_vertex && !same(a, b))) return false;
  }
  return true;
}

}  // namespace

Kind kind_of(const fs::path& file, std::optional<Kind> kind) {
  if (!kind) kind = read_name(file).kind;
  if (!kind) {
    const io::MappedFile readable(file);  // throws where the file cannot be read
    throw io::FileError(file.string(),
                        "the file name does not contain the kind of the queries; give --kind");
  }
  return *kind;
}

io::QuerySet read_queries(const fs::path& file, Kind kind) {
  io::QuerySet queries = io::read_queries(file);
  if (kind != Kind::vertex_edge && kind != Kind::vertex_vertex) return queries;
  const auto faces = queries.as<VertexFace>();
  for (std::size_t i = 0; i < faces.size(); ++i)
    if (!is_of_kind(faces[i], kind))
      throw io::FileError(
          file.string(),
          fmt::format("query {} is not {}: points {} must be equal (counted from 0)", i, name(kind),
                      kind == Kind::vertex_edge ? "2 and 3" : "1, 2 and 3"));
  return queries;
}

std::vector<NamedSet> read_sets(const std::vector<fs::path>& paths, std::optional<Kind> kind) {
  std::vector<NamedSet> sets;
  const auto read = [&](const fs::path& file, std::string group) {
    const Kind known = kind_of(file, kind);
    sets.push_back(
        {read_name(file).name, std::move(group), known, read_queries(file, known), file});
  };
  for (const fs::path& path : paths) {
    if (!fs::is_directory(path)) {
      read(path, "files");
      continue;
    }
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(path)) {
      if (!entry.is_regular_file() || !is_query_file(entry.path())) continue;
      const auto told = read_name(entry.path()).kind;
      if (told ? !kind || *told == *kind : kind.has_value()) files.push_back(entry.path());
    }
    if (files.empty())
      throw io::FileError(
          path.string(),
          kind ? fmt::format("contains no .csv or .npy file of {} queries", name(*kind))
               : "contains no .csv or .npy file whose name contains its kind");
    std::sort(files.begin(), files.end());
    for (const auto& file : files) read(file, fs::canonical(path).filename().string());
  }
  return sets;
}

std::vector<NamedSet> generate_sets(std::size_t count, std::uint64_t seed,
                                    std::optional<Kind> kind) {
  std::vector<NamedSet> sets;
  for (const generate::Family& family : generate::families()) {
    const std::size_t size = family.degenerate ? count : 10 * count;
    const std::string group = family.degenerate ? "degenerate" : "generic";
    for (const Kind each : {Kind::vertex_face, Kind::edge_edge})
      if (!kind || *kind == each)
        sets.push_back({std::string(family.name),
                        group,
                        each,
                        each == Kind::vertex_face
                            ? pack(generate::generate_vertex_face(family, size, seed))
                            : pack(generate::generate_edge_edge(family, size, seed)),
                        {}});
  }
  return sets;
}

}  // namespace graze::queries
