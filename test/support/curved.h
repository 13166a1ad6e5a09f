#pragma once

#include <string>
#include <vector>

#include "graze/generate/curved_families.h"
#include "graze/impact.h"

namespace graze::test {

inline constexpr Curve curves[] = {Curve::line, Curve::quadratic, Curve::cubic, Curve::hermite};

// Calls function(query, index) for `count` queries of a family, for each of the four kinds.
template <class Function>
void for_each_curved(const generate::CurvedFamily& family, Curve curve, std::size_t count,
                     std::uint64_t seed, Function&& function) {
  for (std::uint64_t i = 0; i < count; ++i) {
    const Curved<VertexFace> query = family.vertex_face(curve, seed, i);
    function(query, i);
    function(family.edge_edge(curve, seed, i), i);
    if (i % 4 == 0) function(generate::as_vertex_edge(query), i);
    if (i % 4 == 1) function(generate::as_vertex_vertex(query), i);
  }
}

// Returns the difference of two answers in verdict and times; empty if there is none.
inline std::string time_difference(const Impact& given, const Impact& truth) {
  if (given.verdict == truth.verdict && given.toi == truth.toi && given.toi_hi == truth.toi_hi)
    return {};
  char text[256];
  std::snprintf(text, sizeof text, "given %s [%a, %a], truth %s [%a, %a]", name(given.verdict),
                given.toi, given.toi_hi, name(truth.verdict), truth.toi, truth.toi_hi);
  return text;
}

}  // namespace graze::test
