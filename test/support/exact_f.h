#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <type_traits>

#include "graze/impact.h"
#include "graze/query.h"

namespace graze::test {

using Rational = boost::multiprecision::cpp_rational;

// Returns F of [Wang 2021] exactly: component k of the vector between the points of the two
// primitives with coordinates at.u and at.v, at the time at.toi.
template <class Query>
Rational exact_f(const Query& query, const Impact& at, int k) {
  const Rational t = at.toi, u = at.u, v = at.v;
  Rational x[4];
  for (std::size_t i = 0; i < 4; ++i)
    x[i] = (1 - t) * Rational(query.start[i][k]) + t * Rational(query.end[i][k]);
  if constexpr (std::is_same_v<Query, VertexFace>)
    return x[0] - (1 - u - v) * x[1] - u * x[2] - v * x[3];
  else
    return (1 - u) * x[0] + u * x[1] - (1 - v) * x[2] - v * x[3];
}

// Returns a vertex at height `gap` above a face that moves down by 1.
inline VertexFace hovering(double gap) {
  return {{Vec3(0.25, 0.25, gap), Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)},
          {Vec3(0.25, 0.25, gap - 1), Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)}};
}

}  // namespace graze::test
