#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "graze/query.h"

namespace graze::generate {

// A named kind of generated queries. There are families of random queries and one family for every
// degeneracy that is known to break collision detectors. Query i of a family depends on (family,
// primitive, seed, i) alone, so every part of a set can be regenerated on any machine, bit for bit.
struct Family {
  std::string_view name, description;
  bool degenerate;  // false for families in generic position
  VertexFace (*vertex_face)(std::uint64_t seed, std::uint64_t index);
  EdgeEdge (*edge_edge)(std::uint64_t seed, std::uint64_t index);
};

std::span<const Family> families();

// Returns the family with that name; null if there is none.
const Family* find_family(std::string_view name);

std::vector<VertexFace> generate_vertex_face(const Family& family, std::size_t count,
                                             std::uint64_t seed);
std::vector<EdgeEdge> generate_edge_edge(const Family& family, std::size_t count,
                                         std::uint64_t seed);

}  // namespace graze::generate
