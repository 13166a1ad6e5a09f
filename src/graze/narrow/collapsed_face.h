#pragma once

#include <type_traits>

#include "graze/impact.h"
#include "graze/query.h"

namespace graze::narrow {

// Converts the impact of as_vertex_face(query) into that of the query: u along the segment and no
// v; neither u nor v for two points. The second and third corner of the collapsed face are the
// second end of the edge, so their weights add up; NaN stays NaN. Other queries keep their impact.
template <Query Q>
Impact from_collapsed_face(Impact impact) {
  if constexpr (std::is_same_v<Q, VertexEdge> || std::is_same_v<Q, VertexVertex>) {
    impact.u = std::is_same_v<Q, VertexEdge> ? impact.u + impact.v : Impact::nan;
    impact.v = Impact::nan;
  }
  return impact;
}

}  // namespace graze::narrow
