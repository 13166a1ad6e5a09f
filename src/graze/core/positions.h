#pragma once

#include <Eigen/Core>
#include <span>

#include "graze/core/vec3.h"

namespace graze {

// Positions as an n x 3 matrix, for functions that take any Eigen matrix. A row-major matrix of
// doubles with three columns (or a Map of one, such as a C-ordered NumPy array) is taken as it
// lies, without a copy; a column-major one, or one whose rows are not next to each other, is copied
// into the argument.
using Positions = Eigen::Ref<const Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>, 0,
                             Eigen::OuterStride<3>>;

// The rows, for as long as the matrix lives.
inline std::span<const Vec3> rows_of(const Positions& positions) {
  static_assert(sizeof(Vec3) == 3 * sizeof(double) && alignof(Vec3) == alignof(double));
  return {reinterpret_cast<const Vec3*>(positions.data()),
          static_cast<std::size_t>(positions.rows())};
}

}  // namespace graze
