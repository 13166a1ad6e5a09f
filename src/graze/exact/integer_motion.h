#pragma once

#include <algorithm>
#include <array>
#include <limits>

#include "graze/core/vec3.h"
#include "graze/exact/polynomial.h"

namespace graze::exact {

// The four moving points of a query, times a common power of two that makes every coordinate an
// integer.
template <class Query>
std::array<PolynomialVector, 4> integer_motion(const Query& query) {
  int scale = std::numeric_limits<int>::max();
  for (const auto* points : {&query.start, &query.end})
    for (const Vec3& point : *points)
      for (const double x : point)
        if (x != 0) scale = std::min(scale, decompose(x).exponent);
  const auto integer = [&](double x) {
    const auto [mantissa, exponent] = decompose(x);
    return shifted(mantissa, mantissa == 0 ? 0 : static_cast<unsigned>(exponent - scale));
  };
  std::array<PolynomialVector, 4> motion;
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t k = 0; k < 3; ++k) {
      auto& c = motion[i][k].c;
      c[0] = integer(query.start[i][static_cast<int>(k)]);
      c[1] = integer(query.end[i][static_cast<int>(k)]) - c[0];
    }
  return motion;
}

}  // namespace graze::exact
