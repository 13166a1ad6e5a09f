#pragma once

#include <cmath>
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

// Returns whether two answers are the same in all but the work done: verdict, kind, times, place
// and normal. NaN is equal to NaN.
inline bool same_answer(const Impact& a, const Impact& b) {
  const auto same = [](double x, double y) { return std::isnan(x) ? std::isnan(y) : x == y; };
  return a.verdict == b.verdict && a.kind == b.kind && same(a.toi, b.toi) &&
         same(a.toi_hi, b.toi_hi) && same(a.u, b.u) && same(a.v, b.v) &&
         same(a.normal[0], b.normal[0]) && same(a.normal[1], b.normal[1]) &&
         same(a.normal[2], b.normal[2]);
}

}  // namespace graze::test
