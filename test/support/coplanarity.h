#pragma once

#include <array>
#include <boost/multiprecision/cpp_int.hpp>

#include "graze/query.h"

namespace graze::test {

using Rational = boost::multiprecision::cpp_rational;
using Cubic = std::array<Rational, 4>;  // coefficients of 1, t, t^2, t^3

// Returns det(c1 - c0, c2 - c0, c3 - c0) of the four moving corners as an exact polynomial in t. It
// is zero if and only if the corners are coplanar, for vertex-face and for edge-edge queries.
template <class Query>
Cubic coplanarity(const Query& query) {
  std::array<std::array<std::array<Rational, 2>, 3>, 3> row;
  for (std::size_t i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) {
      const Rational at_start = Rational(query.start[i + 1][k]) - Rational(query.start[0][k]);
      const Rational at_end = Rational(query.end[i + 1][k]) - Rational(query.end[0][k]);
      row[i][std::size_t(k)] = {at_start, at_end - at_start};
    }
  Cubic det{};
  constexpr int orders[6][4] = {{0, 1, 2, 1},  {1, 2, 0, 1},  {2, 0, 1, 1},
                                {0, 2, 1, -1}, {2, 1, 0, -1}, {1, 0, 2, -1}};
  for (const auto& order : orders)
    for (unsigned powers = 0; powers < 8; ++powers) {
      Rational product = order[3];
      for (unsigned i = 0; i < 3; ++i) product *= row[i][std::size_t(order[i])][(powers >> i) & 1];
      det[(powers & 1) + ((powers >> 1) & 1) + (powers >> 2)] += product;
    }
  return det;
}

}  // namespace graze::test
