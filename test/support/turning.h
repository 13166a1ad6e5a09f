#pragma once

#include "graze/generate/turning_families.h"

namespace graze::test {

// Calls function(query, index) for `count` queries of a family, for each of the four kinds.
template <class Function>
void for_each_turning(const generate::TurningFamily& family, std::size_t count, std::uint64_t seed,
                      Function&& function) {
  for (std::uint64_t i = 0; i < count; ++i) {
    const Turning<VertexFace> query = family.vertex_face(seed, i);
    function(query, i);
    function(family.edge_edge(seed, i), i);
    if (i % 4 == 0) function(generate::as_vertex_edge(query), i);
    if (i % 4 == 1) function(generate::as_vertex_vertex(query), i);
  }
}

}  // namespace graze::test
