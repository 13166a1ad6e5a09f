#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graze/io/query_files.h"
#include "graze/query.h"

namespace graze::queries {

// Queries of one kind with the name that tables show.
struct NamedSet {
  std::string name, group;  // tables sum up the sets of one group
  Kind kind;
  io::QuerySet data;
  std::filesystem::path file = {};  // the file it was read from; empty for generated queries

  std::size_t size() const { return data.size(); }
};

// Calls `f` with the queries as a span of EdgeEdge for edge-edge, else of VertexFace. A vertex-edge
// query is stored as a face whose last two corners are equal, a vertex-vertex query as a face whose
// three corners are equal.
template <class F>
decltype(auto) visit(Kind kind, const io::QuerySet& data, F&& f) {
  return kind == Kind::edge_edge ? f(data.as<EdgeEdge>()) : f(data.as<VertexFace>());
}

// Returns `kind` where it is given, else the kind that the name of the file contains (vertex-face,
// edge-edge, vertex-edge or vertex-vertex, or vf, ee, ve or vv at its end). Throws FileError if
// neither names the kind.
Kind kind_of(const std::filesystem::path& file, std::optional<Kind> kind);

// Reads queries of that kind. Throws FileError on what cannot be read and on a query whose face has
// different corners where the kind requires equal ones.
io::QuerySet read_queries(const std::filesystem::path& file, Kind kind);

// Reads files and folders. A folder is searched at any depth, in the order of the paths, for query
// files of the given kind, or of every kind where none is given; files whose name does not contain
// the kind are read only if it is given. A set takes the name of its file without the kind, or of
// its folder if no other name is left. Throws FileError on a file that cannot be read and on a
// folder without such files.
std::vector<NamedSet> read_sets(const std::vector<std::filesystem::path>& paths,
                                std::optional<Kind> kind);

// Returns every generated family as vertex-face and edge-edge queries, or as the given one of the
// two: `count` queries of each degenerate family and ten times as many of each generic one.
std::vector<NamedSet> generate_sets(std::size_t count, std::uint64_t seed,
                                    std::optional<Kind> kind);

}  // namespace graze::queries
