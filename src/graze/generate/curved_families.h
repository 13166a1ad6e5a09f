#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "graze/query.h"

namespace graze::generate {

// A named kind of generated queries on curves. Query i of a family depends on (family, primitive,
// curve, seed, i) alone.
struct CurvedFamily {
  std::string_view name, description;
  bool degenerate;  // false for families in generic position
  bool mixed;       // magnitudes so different that integers and the oracle are slow
  Curved<VertexFace> (*vertex_face)(Curve curve, std::uint64_t seed, std::uint64_t index);
  Curved<EdgeEdge> (*edge_edge)(Curve curve, std::uint64_t seed, std::uint64_t index);
};

std::span<const CurvedFamily> curved_families();

// Returns the query without area that consists of the first corners.
Curved<VertexEdge> as_vertex_edge(const Curved<VertexFace>& query);
Curved<VertexVertex> as_vertex_vertex(const Curved<VertexFace>& query);

}  // namespace graze::generate
