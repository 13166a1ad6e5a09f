#pragma once

#include <Eigen/Core>
#include <cmath>
#include <random>
#include <vector>

#include "graze/vec3.h"

namespace graze::test {

inline std::vector<Vec3> random_points(std::mt19937_64& random, std::size_t count) {
  std::uniform_real_distribution<double> unit(-1, 1);
  std::vector<Vec3> points(count);
  for (Vec3& point : points) point = {unit(random), unit(random), unit(random)};
  return points;
}

inline double& coordinate(std::vector<Vec3>& points, Eigen::Index i) {
  return points[static_cast<std::size_t>(i / 3)][i % 3];
}

// Returns the derivative of a function of the points (a number or a vector): column i is that by
// coordinate i. Uses central differences of two widths, extrapolated: the error is of fourth order.
template <class Function>
Eigen::MatrixXd derivative(Function&& function, std::vector<Vec3> points, double width = 1e-3) {
  const auto columns = 3 * static_cast<Eigen::Index>(points.size());
  Eigen::MatrixXd result;
  for (Eigen::Index i = 0; i < columns; ++i) {
    double& x = coordinate(points, i);
    const double at = x;
    const auto difference = [&](double h) -> Eigen::VectorXd {
      x = at + h;
      const Eigen::VectorXd above = function(points);
      x = at - h;
      return (above - function(points)) / (2 * h);
    };
    const Eigen::VectorXd column = (4 * difference(width / 2) - difference(width)) / 3;
    x = at;
    if (i == 0) result.resize(column.size(), columns);
    result.col(i) = column;
  }
  return result;
}

inline double relative_error(const Eigen::MatrixXd& found, const Eigen::MatrixXd& expected) {
  return (found - expected).norm() / std::max(expected.norm(), 1e-300);
}

}  // namespace graze::test
