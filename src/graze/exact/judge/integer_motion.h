#pragma once

#include <array>
#include <tuple>

#include "graze/exact/judge/polynomial.h"
#include "graze/vec3.h"

namespace graze::exact {

// The moving points of a query and a length, all times a common power of two that makes them
// integers.
template <std::size_t count>
struct IntegerMotion {
  std::array<PolynomialVector, count> points;
  Integer length;
};

template <class Query>
auto integer_motion(const Query& query, double length) {
  constexpr std::size_t count = std::tuple_size_v<decltype(query.start)>;
  numeric::CommonScale scale;
  scale.include_corners(query);
  scale.include(length);
  const auto integer = [&](double x) { return to_integer(scale.scaled(x)); };
  IntegerMotion<count> motion;
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t k = 0; k < 3; ++k) {
      auto& c = motion.points[i][k].c;
      c[0] = integer(query.start[i][static_cast<int>(k)]);
      c[1] = integer(query.end[i][static_cast<int>(k)]) - c[0];
    }
  motion.length = integer(length);
  return motion;
}

// Returns the scaled points of the query, without a length.
template <class Query>
auto integer_motion(const Query& query) {
  return integer_motion(query, 0).points;
}

}  // namespace graze::exact
