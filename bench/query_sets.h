#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graze/core/query.h"
#include "graze/io/query_files.h"

namespace graze::bench {

enum class Kind : std::uint8_t { vertex_face, edge_edge };

constexpr const char* name(Kind kind) {
  return kind == Kind::vertex_face ? "vertex-face" : "edge-edge";
}
// Empty when the text is neither.
std::optional<Kind> parse_kind(std::string_view text);

// Queries of one kind with the name they carry in tables.
struct NamedSet {
  std::string name, group;  // sets of one group are summed up together
  Kind kind;
  io::QuerySet data;
  std::filesystem::path file = {};  // where it was read from; empty for generated queries

  std::size_t size() const { return data.size(); }
};

// Calls `f` with the queries as a span of their type.
template <class F>
decltype(auto) visit(Kind kind, const io::QuerySet& data, F&& f) {
  return kind == Kind::vertex_face ? f(data.as<VertexFace>()) : f(data.as<EdgeEdge>());
}

// The kind that is asked for, else the one the name of the file tells ("vertex-face", "edge-edge",
// or "vf", "ee" at its end); throws FileError where neither says.
Kind kind_of(const std::filesystem::path& file, std::optional<Kind> kind);

// Files are read; folders are searched at any depth, in order of their paths, for query files whose
// names tell the kind (the one asked for, where one is) or, where a kind is asked for, tell none. A
// set is named after its file, without what tells the kind, or after its folder. Throws FileError
// on what cannot be read and on a folder without such files.
std::vector<NamedSet> read_sets(const std::vector<std::filesystem::path>& paths,
                                std::optional<Kind> kind);

// Both kinds (or the one asked for) of every generated family: `count` queries of each degenerate
// family, ten times as many of each family in generic position.
std::vector<NamedSet> generate_sets(std::size_t count, std::uint64_t seed,
                                    std::optional<Kind> kind);

}  // namespace graze::bench
