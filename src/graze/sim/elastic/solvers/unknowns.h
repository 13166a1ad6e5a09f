#pragma once

#include <Eigen/Core>
#include <cstddef>

namespace graze::sim::soft {

// Returns where the three coordinates of a vertex begin in the vector of unknowns.
inline Eigen::Index at(std::size_t vertex) {
  return 3 * static_cast<Eigen::Index>(vertex);
}

inline constexpr double held_inertia = 1e30;  // of a fixed vertex, in kg / s^2

}  // namespace graze::sim::soft
