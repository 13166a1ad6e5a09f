#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "graze/method.h"
#include "graze/query.h"

namespace graze::test {

// Returns the largest difference of coordinates between corners at one time; infinity on overflow.
template <class Query>
double extent(const Query& query) {
  double largest = 0;
  for (const auto* side : {&query.start, &query.end})
    for (std::size_t i = 1; i < 4; ++i)
      largest = std::max(largest, ((*side)[i] - (*side)[0]).cwiseAbs().maxCoeff());
  return largest;
}

// Returns the first of 17 times at which two sampled points, one of each primitive, are proven to
// be no farther apart than the separation; infinity if there is none. The rounding error of their
// difference is below 30 u times the largest coordinate, or 10 units of the smallest denormal; the
// margin is ten times that.
template <class Query>
double sampled_time(const Query& query, double separation, Norm norm) {
  double largest = 0;
  for (const auto* side : {&query.start, &query.end})
    for (const Vec3& corner : *side) largest = std::max(largest, corner.cwiseAbs().maxCoeff());
  const double limit = separation * (1 - 1e-14) - 0x1p-44 * largest - 0x1p-1067;
  for (int step = 0; step <= 16; ++step) {
    const double t = step / 16.0;
    std::array<Vec3, 4> x;
    for (std::size_t i = 0; i < 4; ++i) x[i] = (1 - t) * query.start[i] + t * query.end[i];
    for (int i = 0; i <= 4; ++i)
      for (int j = 0; j <= 4; ++j) {
        const double u = i / 4.0, v = j / 4.0;
        Vec3 apart;
        if constexpr (std::is_same_v<Query, VertexFace>) {
          if (i + j > 4) continue;
          apart = x[0] - ((1 - u - v) * x[1] + u * x[2] + v * x[3]);
        } else {
          apart = ((1 - u) * x[0] + u * x[1]) - ((1 - v) * x[2] + v * x[3]);
        }
        const double distance = norm == Norm::l2 ? apart.stableNorm() : apart.cwiseAbs().maxCoeff();
        if (distance <= limit) return t;
      }
  }
  return std::numeric_limits<double>::infinity();
}

}  // namespace graze::test
