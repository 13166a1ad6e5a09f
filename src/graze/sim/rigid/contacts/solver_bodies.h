#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "graze/sim/rigid/system.h"

namespace graze::sim::rigid {

using Twist = Eigen::Matrix<double, 6, 1>;  // velocity and spin; or an impulse and its moment

inline Twist twist(const Vec3& linear, const Vec3& angular) {
  Twist both;
  both << linear, angular;
  return both;
}

// The inverse mass and inertia of a body; 0 for a body that impulses do not move.
struct BodyState {
  std::uint32_t body;
  double inverse_mass = 0;
  Eigen::Matrix3d inverse_inertia = Eigen::Matrix3d::Zero();

  // Returns the change of velocity and spin by an impulse.
  Twist response(const Twist& impulse) const {
    return twist(inverse_mass * impulse.head<3>(), inverse_inertia * impulse.tail<3>());
  }
};

// A range of consecutive states.
struct StateRange {
  std::uint32_t first, end;

  bool has(std::uint32_t state) const { return state >= first && state < end; }
  Eigen::Index begin() const { return 6 * Eigen::Index(first); }  // in a vector of velocities
  Eigen::Index size() const { return 6 * Eigen::Index(end - first); }
  Eigen::Index offset(std::uint32_t state) const { return 6 * Eigen::Index(state - first); }
};

// The bodies of contacts and joints, with all velocities and spins in one vector. A group is a set
// of bodies connected by joints through moving bodies; the states of a group are consecutive.
class SolverBodies {
 public:
  // If `only` is not empty, impulses move no other bodies.
  SolverBodies(const System& given, std::span<const Contact> contacts,
               std::span<const std::uint32_t> joints, std::span<const std::uint32_t> only);

  const System& system;
  std::vector<BodyState> states;
  std::vector<StateRange> groups;
  std::vector<std::uint32_t> group_of;  // of states
  Eigen::VectorXd velocities;

  std::uint32_t state_of(std::uint32_t body) const;
  bool moves(std::uint32_t state) const { return states[state].inverse_mass > 0; }
  const Body& body(std::uint32_t state) const { return system.state.bodies[states[state].body]; }
  auto velocity(std::uint32_t state) { return velocities.segment<6>(6 * Eigen::Index(state)); }
  auto velocity(std::uint32_t state) const {
    return velocities.segment<6>(6 * Eigen::Index(state));
  }
  auto of(const StateRange& range) { return velocities.segment(range.begin(), range.size()); }

  // Returns the kinetic energy.
  double energy(const StateRange& range) const;
  double energy() const { return energy({0, static_cast<std::uint32_t>(states.size())}); }

 private:
  std::vector<std::pair<std::uint32_t, std::uint32_t>> places_;  // (body, state), sorted
};

}  // namespace graze::sim::rigid
