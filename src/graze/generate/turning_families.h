#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "graze/query.h"

namespace graze::generate {

// A named kind of generated queries that turn by one parameter. Query i of a family depends on
// (family, primitive, seed, i) alone.
struct TurningFamily {
  std::string_view name, description;
  bool degenerate;  // false for families in generic position
  bool mixed;       // magnitudes so different that integers and the oracle are slow
  Turning<VertexFace> (*vertex_face)(std::uint64_t seed, std::uint64_t index);
  Turning<EdgeEdge> (*edge_edge)(std::uint64_t seed, std::uint64_t index);
};

std::span<const TurningFamily> turning_families();

// Returns the query without area that consists of the first corners.
Turning<VertexEdge> as_vertex_edge(const Turning<VertexFace>& query);
Turning<VertexVertex> as_vertex_vertex(const Turning<VertexFace>& query);

}  // namespace graze::generate
