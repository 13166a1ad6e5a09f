#include "bench/query_sets.h"

#include <algorithm>
#include <cctype>

#include "graze/generate/families.h"
#include "graze/io/mapped_file.h"

namespace graze::bench {
namespace {

namespace fs = std::filesystem;

// What a file's name says of its queries: "rack-vertex-face.csv" and "rack_vf.csv" are vertex-face
// queries called "rack"; "rack/edge-edge.csv" are edge-edge queries called "rack".
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
  take("vertex-face", Kind::vertex_face);
  take("edge-edge", Kind::edge_edge);
  take("vf", Kind::vertex_face);
  take("ee", Kind::edge_edge);
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

}  // namespace

std::optional<Kind> parse_kind(std::string_view text) {
  if (text == name(Kind::vertex_face)) return Kind::vertex_face;
  if (text == name(Kind::edge_edge)) return Kind::edge_edge;
  return {};
}

Kind kind_of(const fs::path& file, std::optional<Kind> kind) {
  if (!kind) kind = read_name(file).kind;
  if (!kind) {
    const io::MappedFile is_readable(file);  // or says why not
    throw io::FileError(file.string(),
                        "the name does not tell the kind of the queries; say --kind vertex-face or "
                        "--kind edge-edge");
  }
  return *kind;
}

std::vector<NamedSet> read_sets(const std::vector<fs::path>& paths, std::optional<Kind> kind) {
  std::vector<NamedSet> sets;
  const auto read = [&](const fs::path& file, std::string group) {
    sets.push_back({read_name(file).name, std::move(group), kind_of(file, kind),
                    io::read_queries(file), file});
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
      throw io::FileError(path.string(), "holds no .csv or .npy file whose name tells its kind");
    std::sort(files.begin(), files.end());
    for (const auto& file : files) read(file, fs::canonical(path).filename().string());
  }
  return sets;
}

std::vector<NamedSet> generate_sets(std::size_t count, std::uint64_t seed,
                                    std::optional<Kind> kind) {
  std::vector<NamedSet> sets;
  for (const Family& family : families()) {
    const std::size_t size = family.degenerate ? count : 10 * count;
    const std::string group = family.degenerate ? "degenerate" : "generic";
    for (const Kind each : {Kind::vertex_face, Kind::edge_edge})
      if (!kind || *kind == each)
        sets.push_back({std::string(family.name),
                        group,
                        each,
                        each == Kind::vertex_face ? pack(generate_vertex_face(family, size, seed))
                                                  : pack(generate_edge_edge(family, size, seed)),
                        {}});
  }
  return sets;
}

}  // namespace graze::bench
