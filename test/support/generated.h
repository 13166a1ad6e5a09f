#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "graze/generate/families.h"

namespace graze::test {

template <class Query>
std::vector<Query> generated(const generate::Family& family, std::size_t count,
                             std::uint64_t seed = 1) {
  if constexpr (std::is_same_v<Query, VertexFace>)
    return generate::generate_vertex_face(family, count, seed);
  else
    return generate::generate_edge_edge(family, count, seed);
}

inline const generate::Family& family(std::string_view name) {
  return *generate::find_family(name);
}

// Calls check(queries) for the vertex-face and the edge-edge queries of the family.
template <class Check>
void both(std::string_view name, std::size_t count, Check&& check) {
  SCOPED_TRACE(std::string(name));
  check(generated<VertexFace>(family(name), count));
  check(generated<EdgeEdge>(family(name), count));
}

// Calls check(query) for each vertex-face and each edge-edge query of the family.
template <class Check>
void both_each(std::string_view name, std::size_t count, Check&& check) {
  both(name, count, [&](const auto& queries) {
    for (std::size_t i = 0; i < queries.size(); ++i) {
      SCOPED_TRACE(i);
      check(queries[i]);
    }
  });
}

}  // namespace graze::test
