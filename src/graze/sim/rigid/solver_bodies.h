#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "graze/core/vec3.h"

namespace graze {

struct RigidSystem;
struct BodyContact;

using Twist = Eigen::Matrix<double, 6, 1>;  // velocity and spin; or an impulse and its moment

inline Twist twist(const Vec3& linear, const Vec3& angular) {
  Twist both;
  both << linear, angular;
  return both;
}

// A body while impulses act on it. What does not move has no inverse mass.
struct BodyState {
  std::uint32_t body;
  double inverse_mass = 0;
  Eigen::Matrix3d inverse_inertia = Eigen::Matrix3d::Zero();

  Twist response(const Twist& impulse) const {
    return twist(inverse_mass * impulse.head<3>(), inverse_inertia * impulse.tail<3>());
  }
};

// A part of the states, one after the other.
struct StateRange {
  std::uint32_t first, end;

  bool has(std::uint32_t state) const { return state >= first && state < end; }
  Eigen::Index begin() const { return 6 * Eigen::Index(first); }  // in a vector of velocities
  Eigen::Index size() const { return 6 * Eigen::Index(end - first); }
  Eigen::Index offset(std::uint32_t state) const { return 6 * Eigen::Index(state - first); }
};

// The bodies of contacts and joints, with their velocities and spins in one vector. Those that
// joints connect, through bodies that move, stand beside each other.
class SolverBodies {
 public:
  // Where `only` is not empty, nothing else moves for impulses.
  SolverBodies(const RigidSystem& system, std::span<const BodyContact> contacts,
               std::span<const std::uint32_t> joints, std::span<const std::uint32_t> only);

  const RigidSystem& system;
  std::vector<BodyState> states;
  std::vector<StateRange> groups;
  std::vector<std::uint32_t> group_of;  // of states
  Eigen::VectorXd velocities;

  std::uint32_t state_of(std::uint32_t body) const;
  bool moves(std::uint32_t state) const { return states[state].inverse_mass > 0; }
  auto velocity(std::uint32_t state) { return velocities.segment<6>(6 * Eigen::Index(state)); }
  auto velocity(std::uint32_t state) const {
    return velocities.segment<6>(6 * Eigen::Index(state));
  }
  auto of(const StateRange& range) { return velocities.segment(range.begin(), range.size()); }

  double energy(const StateRange& range) const;  // kinetic
  double energy() const { return energy({0, static_cast<std::uint32_t>(states.size())}); }

 private:
  std::vector<std::pair<std::uint32_t, std::uint32_t>> places_;  // of bodies among the states
};

}  // namespace graze
